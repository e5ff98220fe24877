"""The ops: one table a family, each op declared once. Importing this fills the registry."""

from symdiff.ops.creation import (
    arange,
    arange_of,
    empty,
    ones,
    range_element,
    range_element_of,
    range_length,
    range_length_of,
    zeros,
    zeros_of,
)
from symdiff.ops.index import (
    Slice,
    Slot,
    index,
    index_add,
    index_add_of,
    index_of,
    index_set,
    index_set_of,
    is_view,
)
from symdiff.ops.shape import (
    VIEW_PUTS,
    broadcast_to,
    copy,
    reshape,
    transpose,
)
from symdiff.ops.sizes import dim_of, size, sizes_of
