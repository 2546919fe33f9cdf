"""Vectors of LANES numbers as values in compiled code.

The compiler turns a plain loop over lanes into vector instructions only behind a check, at every loop, that
the rows do not overlap: that check cost as much as the work (measured: 2.1 times the time for `yatzy-sv`). A
vector held as one value needs no check. It is a compiler type, not a machine type: on a processor with shorter
registers it takes several of them.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

LANES = 32


class Vector(types.Type):
    """LANES numbers of a NumPy scalar type."""

    def __init__(self, number: Any) -> None:
        self.number = number
        super().__init__(name=f"Vector({number}, {LANES})")


@register_model(Vector)
class VectorModel(models.PrimitiveModel):
    def __init__(self, manager: Any, vector: Vector) -> None:
        number = manager.lookup(vector.number).get_value_type()
        super().__init__(manager, vector, ir.VectorType(number, LANES))


def place(context: Any, builder: Any, array_type: Any, array: Any, offset: Any) -> Any:
    """A pointer to LANES numbers of a one-dimensional array, from `offset` on."""
    data = context.make_array(array_type)(context, builder, array).data
    pointer = builder.gep(data, [offset])
    vector = ir.VectorType(data.type.pointee, LANES)
    return builder.bitcast(pointer, vector.as_pointer())


def aligned(array_type: Any) -> int:
    return int(array_type.dtype.bitwidth) // 8


@intrinsic
def load(typing: Any, array: Any, offset: Any) -> Any:  # noqa: ARG001
    """LANES numbers of an array."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        pointer = place(context, builder, signature.args[0], values[0], values[1])
        return builder.load(pointer, align=aligned(signature.args[0]))

    return Vector(array.dtype)(array, types.intp), generate


@intrinsic
def store(typing: Any, array: Any, offset: Any, vector: Any) -> Any:  # noqa: ARG001
    """Write a vector into an array."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        pointer = place(context, builder, signature.args[0], values[0], values[1])
        builder.store(values[2], pointer, align=aligned(signature.args[0]))
        return context.get_dummy_value()

    return types.void(array, types.intp, vector), generate


@intrinsic
def fill(typing: Any, array: Any, value: Any) -> Any:  # noqa: ARG001
    """A vector that holds one number in all lanes, of the type of the array's numbers."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        number = context.cast(builder, values[1], signature.args[1], signature.return_type.number)
        vector = ir.VectorType(number.type, LANES)
        single = builder.insert_element(
            ir.Constant(vector, ir.Undefined), number, ir.Constant(ir.IntType(32), 0)
        )
        lanes = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        return builder.shuffle_vector(single, ir.Constant(vector, ir.Undefined), lanes)

    return Vector(array.dtype)(array, value), generate


def lane_wise(operation: Any) -> Any:
    """An intrinsic of two vectors."""

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
    """one × other + more, rounded once."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:  # noqa: ARG001
        vector = values[0].type
        name = f"llvm.fma.v{LANES}f{signature.return_type.number.bitwidth}"
        function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(vector, [vector] * 3), name)
        return builder.call(function, values)

    return one(one, other, more), generate
