"""Vectors of numbers as values in compiled code.

The compiler vectorises a plain loop over lanes only with a runtime check, at every loop, that the rows do not
overlap; with rows this short the check is a large part of the work. A vector held as one value needs no
check. It is a compiler type, not a machine type: on a processor with shorter registers it takes several of
them.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic as numba_intrinsic
from numba.extending import models, register_model

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
