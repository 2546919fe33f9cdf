"""Compiled code: functions compiled once and cached in the user's cache folder, and vectors as values in it.

To decide whether a cached result is still valid, Numba checks only the file of the function itself, not the
files of the functions it calls. So results are cached in a folder named after a hash of all source files of
this package and of those built on it: an outdated kernel is never used.

The compiler vectorises a plain loop over lanes only with a runtime check, at every loop, that the rows do not
overlap; with rows this short the check is a large part of the work. A vector held as one value needs no
check. It is a compiler type, not a machine type: on a processor with shorter registers it takes several of
them.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar, cast

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.event import Event, Listener, install_listener
from numba.extending import intrinsic as numba_intrinsic
from numba.extending import models, register_model

import dicecup.solver.references  # noqa: F401  (kernels get sets of arrays by it)
from dicecup.installation import kernels_folder

Function = TypeVar("Function", bound=Callable[..., Any])

PACKAGES = ("solver", "playout", "envs")  # that contain kernels
PARTS = 4  # of the work for each thread, so that a thread that finishes early takes over parts of others
POOL = Lock()


def sources_hash() -> str:
    digest = hashlib.sha256()
    package = Path(__file__).parents[1]
    for path in sorted(path for name in PACKAGES for path in (package / name).rglob("*.py")):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def choose_folder() -> bool:
    """Set Numba's cache folder; return False if nothing can be cached, so that every run has to compile."""
    base = os.environ.get("NUMBA_CACHE_DIR")
    folder = (Path(base) if base else kernels_folder()) / sources_hash()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    numba.config.CACHE_DIR = str(folder)
    return os.access(folder, os.W_OK)


KEPT = choose_folder()


def as_wide_as_any(argument: Any) -> Any:
    """Return the type of an argument, that of all signed integers for a constant and for short ones."""
    number = types.unliteral(argument)
    return types.int64 if number in types.signed_domain else number


def kernel(**settings: Any) -> Callable[[Function], Function]:
    """Return a decorator that compiles a function as part of the kernels that call it.

    Python cannot call it: the wrappers for that, which unpack dozens of arrays, would take a quarter of the
    compile time. It is not cached, because the kernels that call it contain it. Nor is it compiled again for
    each constant and each size of integers: all of them become 64 bits in the first calculation anyway.
    """
    settings |= {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}

    def decorate(function: Function) -> Function:
        compiled = numba.njit(**settings)(function)
        template = compiled.get_call_template
        compiled.get_call_template = lambda arguments, named: template(
            [as_wide_as_any(one) for one in arguments], named
        )
        return cast(Function, compiled)

    return decorate


def entry_kernel(**settings: Any) -> Callable[[Function], Function]:
    """Return a decorator for a function that Python calls: compiled on its first call, and cached."""
    decorator: Callable[[Function], Function] = numba.njit(cache=KEPT, **settings)
    return decorator


def shared_kernel(together: int = 1) -> Callable[[Function], Callable[..., None]]:
    """Return a decorator for a function that Python calls, whose work is shared by threads.

    Its first two parameters are where a part of the work begins and ends. It is called with the size of the
    whole instead; all parts but the last are multiples of `together`. With Numba's own parallel loops large
    kernels took twice as long to compile: it optimises the same code for the loop, for its wrapper and for
    the function around it.
    """

    def decorate(function: Function) -> Callable[..., None]:
        compiled = entry_kernel(nogil=True)(function)

        @wraps(compiled)
        def shared(size: int, *arguments: Any) -> None:
            pieces = -(-size // together)
            threads = min(numba.get_num_threads(), pieces)
            step = together * -(-pieces // max(threads * PARTS, 1))
            begins = iter(range(0, size, max(step, 1)))

            def work() -> None:
                for begin in begins:  # the threads share one iterator: each part is done once
                    compiled(begin, min(begin + step, size), *arguments)

            if threads < 2:
                work()
                return
            with ThreadPoolExecutor(threads - 1) as pool:
                others = [pool.submit(work) for _ in range(threads - 1)]
                work()
            for other in others:
                other.result()

        return shared

    return decorate


def parallel_kernel(**settings: Any) -> Callable[[Function], Function]:
    """Return a decorator for a small function with parallel loops, which use all cores.

    Only Python calls it, and one thread at a time: Numba's default thread pool ends the process when two
    threads enter it.
    """

    def decorate(function: Function) -> Function:
        compiled = entry_kernel(parallel=True, **settings)(function)

        @wraps(compiled)
        def alone(*arguments: Any) -> Any:
            with POOL:
                return compiled(*arguments)

        return alone  # type: ignore[return-value]

    return decorate


def is_compiled(function: Any, *arguments: Any) -> bool:
    """Return whether a call of a parallel or shared kernel with such arguments starts without compiling."""
    function = function.__wrapped__
    types = tuple(numba.typeof(argument) for argument in arguments)
    if types in function.overloads:
        return True
    if not KEPT:
        return False
    # The cache has no method to ask; loading it answers, and the result is used.
    return function._cache.load_overload(types, function.targetctx) is not None


class FirstCompile(Listener):
    """Calls back before the first kernel that has to be compiled; not for those loaded from the cache."""

    def __init__(self, callback: Callable[[], None]) -> None:
        self.callback = callback
        self.called = False

    def on_start(self, event: Event) -> None:  # noqa: ARG002
        if not self.called:
            self.called = True
            self.callback()

    def on_end(self, event: Event) -> None:
        """Do nothing when compilation ends."""


@contextmanager
def before_compiling(callback: Callable[[], None]) -> Iterator[None]:
    """Call `callback` once if anything inside has to be compiled, before that begins."""
    with install_listener("numba:compile", FirstCompile(callback)):
        yield


# Measured for `yatzy-sv` on one core: 64 bytes 0.86 s in 64 bits and 0.47 s in 32 bits; 128 bytes 0.60 s and
# 0.36 s; 256 bytes 0.59 s and 0.35 s, but then one sheet alone, which uses one lane, takes longer.
VECTOR_BYTES = 128
# Where an array has rows and a row is one vector: measured for Dice in Dice, whose throws fill 144 MB so.
ROW_BYTES = 64

BLOCK = 16  # lanes of a block: a short vector from anywhere in an array

intrinsic: Any = numba_intrinsic  # its type does not say that the first parameter is not given by callers


class Vector(types.Type):
    """Lanes of numbers of a NumPy scalar type."""

    def __init__(self, number: Any, lanes: int) -> None:
        self.number = number
        self.lanes = lanes
        super().__init__(name=f"Vector({number}, {lanes})")


def vector_of(array: Any) -> Vector:
    """Return the vector type by which an array is read: a part of a flat array, or a whole row."""
    size = VECTOR_BYTES if array.ndim == 1 else ROW_BYTES
    return Vector(array.dtype, size * 8 // array.dtype.bitwidth)


@register_model(Vector)
class VectorModel(models.PrimitiveModel):
    def __init__(self, manager: Any, vector: Vector) -> None:
        number = manager.lookup(vector.number).get_value_type()
        super().__init__(manager, vector, ir.VectorType(number, vector.lanes))


def place(context: Any, builder: Any, array_type: Any, array: Any, offset: Any) -> Any:
    """Return a pointer to the numbers of a vector: from `offset` on, or in the row of this number."""
    vector = vector_of(array_type)
    data = context.make_array(array_type)(context, builder, array).data
    if array_type.ndim == 2:
        offset = builder.mul(offset, context.get_constant(types.intp, vector.lanes))
    pointer = builder.gep(data, [offset])
    return builder.bitcast(pointer, ir.VectorType(data.type.pointee, vector.lanes).as_pointer())


def aligned(array_type: Any) -> int:
    return int(array_type.dtype.bitwidth) // 8


@intrinsic
def lanes(typing: Any, array: Any) -> Any:  # noqa: ARG001
    """Return the number of lanes of a vector of the array's numbers.

    With a plain function a solve took twice as long: the number was then no constant for the compiler.
    """

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:  # noqa: ARG001
        return context.get_constant(types.intp, vector_of(signature.args[0]).lanes)

    return types.intp(array), generate


@intrinsic
def load(typing: Any, array: Any, offset: Any) -> Any:  # noqa: ARG001
    """Load a vector from an array, from `offset` on; of an array with rows, the row of this number."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        pointer = place(context, builder, signature.args[0], values[0], values[1])
        return builder.load(pointer, align=aligned(signature.args[0]))

    return vector_of(array)(array, types.intp), generate


@intrinsic
def store(typing: Any, array: Any, offset: Any, vector: Any) -> Any:  # noqa: ARG001
    """Store a vector into an array."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        pointer = place(context, builder, signature.args[0], values[0], values[1])
        builder.store(values[2], pointer, align=aligned(signature.args[0]))
        return context.get_dummy_value()

    return types.void(array, types.intp, vector), generate


@intrinsic
def fill(typing: Any, array: Any, value: Any) -> Any:  # noqa: ARG001
    """Return a vector with one number in all lanes, of the type of the array's numbers."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        number = context.cast(builder, values[1], signature.args[1], signature.return_type.number)
        count = signature.return_type.lanes
        nothing = ir.Constant(ir.VectorType(number.type, count), ir.Undefined)
        single = builder.insert_element(nothing, number, ir.Constant(ir.IntType(32), 0))
        first = ir.Constant(ir.VectorType(ir.IntType(32), count), [0] * count)
        return builder.shuffle_vector(single, nothing, first)

    return vector_of(array)(array, value), generate


def lane_wise(operation: Any) -> Any:
    """Return an intrinsic of two vectors."""

    @intrinsic
    def compiled(typing: Any, one: Any, other: Any) -> Any:  # noqa: ARG001
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:  # noqa: ARG001
            return operation(builder, *values)

        return one(one, other), generate

    return compiled


def keep_larger(builder: Any, one: Any, other: Any) -> Any:
    return builder.select(builder.fcmp_ordered(">", one, other), one, other)


plus = lane_wise(lambda builder, one, other: builder.fadd(one, other))
times = lane_wise(lambda builder, one, other: builder.fmul(one, other))
larger = lane_wise(keep_larger)


@intrinsic
def times_plus(typing: Any, one: Any, other: Any, more: Any) -> Any:  # noqa: ARG001
    """Return one × other + more, rounded once."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:  # noqa: ARG001
        vector = values[0].type
        name = f"llvm.fma.v{signature.return_type.lanes}f{signature.return_type.number.bitwidth}"
        function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(vector, [vector] * 3), name)
        return builder.call(function, values)

    return one(one, other, more), generate


def block_pointer(context: Any, builder: Any, array_type: Any, array: Any, offset: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [offset]), ir.VectorType(data.type.pointee, BLOCK).as_pointer())


@intrinsic
def load_block(typing: Any, array: Any, offset: Any) -> Any:  # noqa: ARG001
    """Load a block of a contiguous array, counted as if it were flat. All lanes must be in its memory."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        pointer = block_pointer(context, builder, signature.args[0], values[0], values[1])
        return builder.load(pointer, align=aligned(signature.args[0]))

    return Vector(array.dtype, BLOCK)(array, types.intp), generate


@intrinsic
def store_block(typing: Any, array: Any, offset: Any, vector: Any) -> Any:  # noqa: ARG001
    """Store a block, in as few bits as the integers of the array have."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        pointer, vector = block_pointer(context, builder, signature.args[0], values[0], values[1]), values[2]
        if vector.type != pointer.type.pointee:
            vector = builder.trunc(vector, pointer.type.pointee)
        builder.store(vector, pointer, align=aligned(signature.args[0]))
        return context.get_dummy_value()

    return types.void(array, types.intp, vector), generate
