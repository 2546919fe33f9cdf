"""Sets of arrays that kernels get as one address: the type of such a set, for the compiler.

Numba passes a named tuple array by array, and each array as seven numbers: with the forty arrays of a
game each call of a kernel has three hundred arguments. With one address instead, all kernels together are
compiled in two thirds of the time, and solve a game in nine tenths. The compiler need not read an address
again after each value that a kernel writes: it is told that the table of addresses never changes.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import typeof, types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)
from numba.np.arrayobj import populate_array

from dicecup.solver.arrays import ByReference

TYPE = "reference type"  # where a set of arrays keeps it: to find it takes as long as some kernels


class Reference(types.Type):
    """The address of the table of a set of arrays; see `ByReference.table`."""

    def __init__(self, name: str, arrays: dict[str, Any]) -> None:
        self.arrays = arrays
        self.places: dict[str, int] = {}  # where the numbers of an array begin in the table
        place = 0
        for field, array in arrays.items():
            self.places[field] = place
            place += 1 + array.ndim
        super().__init__(name=f"{name}({', '.join(f'{field}: {array}' for field, array in arrays.items())})")


@register_model(Reference)
class ReferenceModel(models.PrimitiveModel):
    def __init__(self, manager: Any, reference: Reference) -> None:
        super().__init__(manager, reference, ir.IntType(8).as_pointer())


@typeof_impl.register(ByReference)
def reference_type(arrays: Any, _context: Any) -> Reference:
    kept = vars(arrays)
    if TYPE not in kept:
        found = {field: typeof(array) for field, array in zip(arrays._fields, arrays, strict=True)}
        if scattered := [field for field, array in found.items() if array.layout != "C"]:
            raise TypeError(f"not contiguous: {', '.join(scattered)}")
        kept[TYPE] = Reference(type(arrays).__name__, found)
    return kept[TYPE]  # type: ignore[no-any-return]


@unbox(Reference)
def unbox_reference(_reference: Reference, arrays: Any, context: Any) -> Any:
    number = context.pyapi.object_getattr_string(arrays, "address")
    address = context.pyapi.long_as_voidptr(number)
    context.pyapi.decref(number)
    return NativeValue(address, is_error=context.pyapi.c_api_error())


@infer_getattr
class ReferenceFields(AttributeTemplate):
    key = Reference

    def generic_resolve(self, reference: Reference, field: str) -> Any:
        return reference.arrays.get(field)


@lower_getattr_generic(Reference)
def read_array(context: Any, builder: Any, reference: Reference, address: Any, field: str) -> Any:
    """Generate the array from its numbers in the table; Python owns its memory."""
    array_type = reference.arrays[field]
    number = context.get_value_type(types.intp)
    table = builder.bitcast(address, number.as_pointer())
    never_changes = builder.module.add_metadata([])

    def read(place: int) -> Any:
        found = builder.load(builder.gep(table, [ir.Constant(number, place)], inbounds=True))
        found.set_metadata("invariant.load", never_changes)
        return found

    place = reference.places[field]
    data_type = context.get_data_type(array_type.dtype)
    item_size = ir.Constant(number, context.get_abi_sizeof(data_type))
    shape = [read(place + 1 + axis) for axis in range(array_type.ndim)]
    strides = [item_size]
    for length in shape[:0:-1]:
        strides.insert(0, builder.mul(strides[0], length))
    array = context.make_array(array_type)(context, builder)
    data = builder.inttoptr(read(place), data_type.as_pointer())
    populate_array(array, data=data, shape=shape, strides=strides, itemsize=item_size, meminfo=None)
    return array._getvalue()
