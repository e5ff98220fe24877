"""Each rewrite where it applies, and where it must not."""

import numpy as np
import pytest

import symdiff as sd
from symdiff.ir.build import Builder, builder, building
from symdiff.ir.control import LoopView, emit_cond, emit_loop, emit_undefined
from symdiff.ir.evaluate import evaluate_graph
from symdiff.ir.graph import Block, Graph, Input, Value, walk_nodes
from symdiff.ir.structure import Leaf
from symdiff.ir.types import BOOL, FLOAT, INT, ArrayType, Size
from symdiff.ir.verify import verify
from symdiff.ops.arithmetic import add, divide, less, multiply, negative, subtract, where
from symdiff.ops.casts import conjugate
from symdiff.ops.creation import range_element, range_length, zeros, zeros_of
from symdiff.ops.effects import print_
from symdiff.ops.elementary import cos, log, power, sin
from symdiff.ops.index import index_add_of, index_of, index_set_of
from symdiff.ops.linalg import solve
from symdiff.ops.products import matmul, outer
from symdiff.ops.reduce import sum
from symdiff.ops.shape import broadcast_to, copy, reshape, transpose
from symdiff.ops.sizes import size, sizes_of
from symdiff.ops.strong import strong_multiply
from symdiff.optimise import PASSES, optimise

DOUBLE = np.dtype("float64")
VECTOR = ArrayType(DOUBLE, (Size("n"),))
MATRIX = ArrayType(DOUBLE, (Size("n"), Size("m")))
SCALAR = ArrayType(DOUBLE, (), "scalar")


def graph_of(build, *types, role="cotangent"):
    parameters = tuple(Value(type_, name=f"p{k}") for k, type_ in enumerate(types))
    with building(Builder()) as top:
        builder().role = role
        results = build(*parameters)
    results = results if isinstance(results, tuple) else (results,)
    inputs = tuple(Input((value.name,)) for value in parameters)
    graph = Graph("f", Block(parameters, top.nodes, results), inputs, Leaf(0))
    verify(graph)
    return graph


def names(graph):
    """The ops of a graph but constants."""
    return [node.op.name for node in walk_nodes(graph.block) if node.op.name != "constant"]


def after(build, *types, role="cotangent"):
    return names(optimise(graph_of(build, *types, role=role), check=True))


def is_first_input(build, *types, role="cotangent"):
    graph = optimise(graph_of(build, *types, role=role), check=True)
    return graph.block.results[0] is graph.block.parameters[0]


# Algebra


@pytest.mark.parametrize(
    "build",
    [
        lambda x: multiply(x, 1.0),
        lambda x: multiply(1.0, x),
        lambda x: add(x, 0.0),
        lambda x: subtract(x, 0.0),
        lambda x: divide(x, 1.0),
        lambda x: power(x, 1),
        lambda x: multiply(2.0, divide(x, 2.0)),
        lambda x: negative(negative(x)),
        lambda x: add(zeros_of(x), x),
        lambda x: strong_multiply(x, 1.0),
        lambda x: where(less(x, 0.0), x, x),
        lambda x: add(multiply(x, zeros_of(x)), x),
        lambda x: index_of(x, slice(None)),
        lambda x: transpose(x, axes=(0,)),
        lambda x: index_of(index_add_of(zeros_of(x), x, slice(None)), slice(None)),
    ],
)
def test_identities_of_derivatives(build):
    assert is_first_input(build, VECTOR)


@pytest.mark.parametrize(
    ("build", "left"),
    [
        (lambda z, x: conjugate(conjugate(z)), []),
        (lambda z, x: conjugate(divide(conjugate(z), x)), ["divide"]),
        (lambda z, x: conjugate(multiply(conjugate(z), 2j)), ["multiply"]),
        (lambda z, x: conjugate(negative(multiply(x, conjugate(z)))), ["multiply", "negative"]),
        (lambda z, x: conjugate(multiply(z, x)), ["multiply", "conjugate"]),
        (lambda z, x: conjugate(multiply(conjugate(z), z)), ["conjugate", "multiply", "conjugate"]),
        (lambda z, x: conjugate(divide(x, 2.0)), ["divide"]),
    ],
)
def test_conjugates_of_conjugates_in_derivatives(build, left):
    """Values agree at a point, as well: what is left computes the same."""
    types = (ArrayType(np.dtype("complex128"), (Size("n"),)), VECTOR)
    graph = graph_of(build, *types)
    optimised = optimise(graph, check=True)
    assert names(optimised) == left
    point = np.array([0.3 - 1.2j, 2.0 + 0.7j]), np.array([1.5, -0.4])
    expected = evaluate_graph(graph, point)
    np.testing.assert_allclose(evaluate_graph(optimised, point), expected, rtol=1e-15)
    kept = optimise(graph_of(build, *types, role="primal"), check=True)
    assert names(kept).count("conjugate") == names(graph).count("conjugate")


@pytest.mark.parametrize(
    "build",
    [
        lambda x: multiply(x, 1.0),
        lambda x: subtract(x, 0.0),
        lambda x: divide(x, 1.0),
        lambda x: power(x, 1.0),
        lambda x: negative(negative(x)),
    ],
)
def test_exact_identities_of_numbers_hold_for_the_users_statements(build):
    assert after(lambda x: build(sum(x)), VECTOR, role="primal") == ["sum"]


def scaled_by_one(x, k):
    y = k if k > 1 else x
    return y * 1.0, 1.0 * y, y / 1.0, y - 0.0, y**1.0, np.maximum(y, 0) * 1.0


def halved_until(t, total):
    return total * 1.0 if t > 1.0 else halved_until(2.0 * t, total + t)


def counted(x, k):
    return halved_until(x, k), halved_until(x, 2), x


@pytest.mark.parametrize("f", [scaled_by_one, counted])
@pytest.mark.parametrize("k", [2**60 + 1, True, 0])
@pytest.mark.parametrize("x", [0.3, 1.5])
def test_an_integer_that_is_typed_as_a_float_becomes_one_where_it_is_multiplied_by_one(f, k, x):
    value, _ = sd.vjp(f, x, k)
    assert list(map(repr, value)) == list(map(repr, f(x, k)))


def test_a_sign_that_makes_a_double_of_pythons_float_stays_beside_single_precision():
    def f(x, h, s):
        return np.sum(x * h * np.negative(s) - x)

    x, h, s = np.array([0.7, -1.3]), np.array([0.1, 3.1], np.float32), 0.3
    np.testing.assert_array_equal(sd.grad(f)(x, h, s), np.float64(-s) * h - 1.0)


def test_minus_zero_is_kept_in_the_users_statements():
    assert after(lambda x: add(x, 0.0), FLOAT, role="primal") == ["add"]
    assert after(lambda x: multiply(x, 0.0), FLOAT, role="primal") == ["multiply"]


def test_an_array_of_the_users_stays_a_new_one():
    assert after(lambda x: multiply(x, 1.0), VECTOR, role="primal") == ["multiply"]
    assert after(lambda x: negative(negative(x)), VECTOR, role="primal") == ["negative"] * 2


def test_an_identity_that_changes_the_dtype_is_none():
    assert after(lambda k: multiply(k, 1.0), INT) == ["multiply"]
    assert after(lambda k: divide(k, 1), INT) == ["divide"]


def test_signs_meet():
    assert after(lambda x, y: add(x, negative(sin(y))), VECTOR, VECTOR) == ["sin", "subtract"]
    assert after(lambda x, y: add(negative(sin(y)), x), VECTOR, VECTOR) == ["sin", "subtract"]
    assert after(lambda x, y: multiply(negative(x), negative(y)), VECTOR, VECTOR) == ["multiply"]
    assert after(lambda x: negative(multiply(2.0, x)), VECTOR) == ["multiply"]
    assert after(lambda x, y: add(x, multiply(-2.0, y)), VECTOR, VECTOR) == ["multiply", "subtract"]
    assert after(lambda x: sum(negative(sin(x)), axis=None, keepdims=False), VECTOR) == [
        "sin",
        "sum",
        "negative",
    ]


def test_factors_meet():
    graph = optimise(graph_of(lambda x: multiply(0.5, multiply(4.0, x)), VECTOR))
    (product,) = [node for node in graph.block.nodes if node.op is multiply]
    assert product.operands[0].node.attributes["value"] == 2.0


def test_a_number_and_a_divisor_that_is_no_factor_of_it_stay():
    assert after(lambda x: multiply(6.0, divide(x, 3.0)), VECTOR) == ["multiply"]
    assert after(lambda x: multiply(2.0, divide(x, 3.0)), VECTOR) == ["divide", "multiply"]
    assert after(lambda x: multiply(2.0, divide(x, 2.0)), VECTOR, role="primal") == [
        "divide",
        "multiply",
    ]


@pytest.mark.parametrize(
    ("dtype", "number", "x"),
    [
        ("float64", 1e-200, 1e300),
        ("float64", 1e200, 1e-300),
        ("float32", 1e-30, 1e30),
        ("float32", 1e30, 1e-30),
    ],
)
def test_factors_whose_product_is_out_of_range_stay_apart(dtype, number, x):
    vector = ArrayType(np.dtype(dtype), (Size("n"),))
    graph = optimise(graph_of(lambda x: multiply(number, multiply(number, x)), vector))
    (found,) = evaluate_graph(graph, [np.full(2, x, dtype)])
    np.testing.assert_allclose(found, number * (number * x), rtol=1e-6)
    assert found.dtype == dtype


def test_a_product_with_a_reciprocal_is_a_quotient():
    assert after(lambda g, x: multiply(g, divide(1.0, x)), VECTOR, VECTOR) == ["divide"]


def test_a_masked_product_stays_where_its_partial_may_be_infinite():
    assert after(lambda g, x: strong_multiply(g, log(x)), VECTOR, VECTOR) == [
        "log",
        "strong_multiply",
    ]


def test_squares_are_products_in_derivatives_only():
    assert after(lambda x: power(x, 2), VECTOR) == ["multiply"]
    assert after(lambda x: power(x, 2), VECTOR, role="primal") == ["power"]


def test_what_each_turn_of_a_loop_sets_to_the_same_is_that_behind_it():
    def ends_as(count):
        def build(x, n):
            with building(Builder()) as body:
                index, was = Value(INT), Value(BOOL)
                sin(x)
                found = body.constant(True)
            number = builder().constant(count) if isinstance(count, int) else n
            block = Block((index, was), body.nodes, (found,))
            started = builder().constant(False)
            return LoopView(emit_loop(number, (started,), (), block)).finals[0]

        graph = optimise(graph_of(build, VECTOR, INT, role="primal"), check=True)
        (result,) = graph.block.results
        return result.node.attributes.get("value")

    assert ends_as(3) is True
    assert ends_as(0) is not True
    assert ends_as("n") is None


def test_equal_terms_of_a_sum_are_one():
    def build(t, u):
        wave = sin(t)
        return add(subtract(multiply(2.0, wave), u), wave)

    assert after(build, VECTOR, VECTOR) == ["sin", "multiply", "subtract"]
    assert is_first_input(lambda t, u: add(subtract(t, u), u), VECTOR, VECTOR)


def test_equal_terms_whose_factors_add_up_to_infinity_stay_apart():
    def function(x, y):
        return np.sum(1e308 * x * y + 1e308 * y * x)

    by_x, by_y = sd.grad(function, (0, 1))(1e-3, 2e-3)
    assert (by_x, by_y) == pytest.approx((4e305, 2e305), rel=1e-15)
    assert sd.jvp(function, (1e-3, 2e-3), (1.0, 0.0))[1] == pytest.approx(4e305, rel=1e-15)


def test_numbers_inside_products_are_factors_of_equal_terms():
    half = 0.5
    assert after(
        lambda g, x: add(multiply(g, multiply(half, x)), multiply(half, multiply(x, g))),
        VECTOR,
        VECTOR,
    ) == ["multiply"]
    assert after(
        lambda g, x: subtract(
            strong_multiply(multiply(half, g), x), multiply(2.0, strong_multiply(g, x))
        ),
        VECTOR,
        VECTOR,
    ) == ["strong_multiply", "multiply"]


def test_a_mask_stays_that_of_its_first_factor():
    def build(g, x):
        return add(strong_multiply(g, multiply(half, x)), strong_multiply(multiply(half, x), g))

    half = 0.5
    assert after(build, VECTOR, VECTOR).count("strong_multiply") == 2


def test_sizes_that_meet_in_an_elementwise_op_are_one_whatever_they_are_called():
    other = ArrayType(DOUBLE, (Size("m"),))
    short = ArrayType(DOUBLE, (Size("k", -1),))

    def build(s, x, y):
        return multiply(broadcast_to(s, *sizes_of(x), shape=x.type.shape), y)

    assert after(build, SCALAR, VECTOR, other) == ["multiply"]
    assert "broadcast_to" in after(build, SCALAR, VECTOR, short)
    assert (
        after(
            lambda s, x, y: reshape(x, *sizes_of(y), shape=y.type.shape),
            SCALAR,
            MATRIX,
            ArrayType(DOUBLE, (Size("p"), Size("q"))),
        ).count("reshape")
        == 1
    )


def test_factors_in_either_order_are_one_product():
    ops = after(lambda x, y: (multiply(x, y), multiply(y, x)), VECTOR, VECTOR, role="primal")
    assert ops == ["multiply"]


# Folding


def test_numbers_fold_as_python_computes_them():
    graph = optimise(graph_of(lambda: add(0.1, 0.2)))
    assert graph.block.results[0].node.attributes["value"] == 0.1 + 0.2


def test_what_reads_worse_stays_as_the_user_wrote_it():
    assert after(lambda: divide(1, 3), role="primal") == ["divide"]
    assert after(lambda: multiply(2, 3.5), role="primal") == []


def test_what_raises_is_left_to_run_time():
    assert after(lambda: divide(1, 0), role="primal") == ["divide"]


def test_no_number_grows_while_it_is_folded():
    assert after(lambda: power(10, 10**6)) == ["power"]


# Shapes


def test_a_broadcast_cotangent_is_not_made():
    def build(g, x):
        return multiply(broadcast_to(g, *sizes_of(x), shape=VECTOR.shape), sin(x))

    assert after(build, SCALAR, VECTOR) == ["sin", "multiply"]


def test_the_sum_of_a_broadcast_number_is_a_multiple():
    def build(g, x):
        wide = broadcast_to(g, *sizes_of(x), shape=MATRIX.shape)
        return sum(wide, axis=None, keepdims=False)

    ops = after(build, SCALAR, MATRIX)
    assert "sum" not in ops
    assert "broadcast_to" not in ops


def test_the_sum_of_ones_is_a_length():
    def moved(a, b, x):
        return np.sum(x * x + a) + np.sum(np.sin(b * x) - np.exp(b) * x + b)

    x = np.array([0.3, -0.2, 1.1])
    slopes = sd.grad(moved, (0, 1))
    assert "return float(x.shape[0]), b_bar" in slopes.source(0.1, 0.4, x)
    assert "float(x.shape[0] - " in slopes.source(0.1, 0.4, x)
    by_a, by_b = slopes(0.1, 0.4, x)
    assert (type(by_a), by_a, type(by_b)) == (float, 3.0, float)
    assert abs(by_b - np.sum(x * np.cos(0.4 * x) - np.exp(0.4) * x + 1.0)) < 1e-14


def test_transposes_go_into_products():
    def build(a, b):
        turned = matmul(transpose(b, axes=(1, 0)), a)
        return transpose(turned, axes=(1, 0))

    assert after(build, MATRIX, MATRIX) == ["transpose", "matmul"]


def test_a_sum_of_rows_weighted_is_a_product():
    def weighted(axis, column):
        def build(a, v):
            other = reshape(v, *sizes_of(v), 1, shape=(*VECTOR.shape, 1)) if column else v
            return sum(multiply(a, other), axis=(axis,), keepdims=False)

        square = ArrayType(DOUBLE, (Size("n"), Size("n")))
        return [name for name in after(build, square, VECTOR) if name != "size"]

    assert weighted(1, False) == ["matmul"]
    assert weighted(0, True) == ["matmul"]
    assert weighted(0, False) == ["sum", "multiply"]
    assert weighted(1, True) == ["sum", "multiply"]


def test_vectors_are_multiplied_first():
    square = ArrayType(DOUBLE, (Size("n"), Size("n")))
    ops = optimise(graph_of(lambda a, b, v: matmul(matmul(a, b), v), square, square, VECTOR))
    assert [node.result.type.rank for node in ops.block.nodes] == [1, 1]


# Parts of arrays


def test_an_adjoint_of_a_read_is_added_in_place():
    def build(x, g):
        return add(x, index_add_of(zeros_of(x), g, 0))

    assert after(build, VECTOR, SCALAR) == ["index_add"]


def test_adjoints_of_several_reads_are_one_chain():
    def build(x, g, h):
        first = index_add_of(zeros_of(x), g, 0)
        second = index_add_of(zeros_of(x), h, 1)
        return add(add(x, first), second)

    assert after(build, VECTOR, SCALAR, SCALAR) == ["index_add"] * 2


def test_parts_of_what_is_broadcast_are_not_parts_of_the_sum():
    one = ArrayType(DOUBLE, (1,))

    def build(x, y, g):
        return add(x, index_add_of(zeros_of(y), g, 0))

    graph = optimise(graph_of(build, VECTOR, one, SCALAR))
    (found,) = evaluate_graph(graph, [np.array([1.0, 2.0, 3.0]), np.ones(1), np.float64(5.0)])
    np.testing.assert_array_equal(found, [6.0, 7.0, 8.0])


def test_a_number_has_no_parts():
    def build(x, mask, g):
        return add(x, index_add_of(zeros(shape=(), dtype=DOUBLE), g, mask))

    scalars = ArrayType(np.dtype("bool"), (), "scalar"), ArrayType(DOUBLE, (1,))
    graph = optimise(graph_of(build, SCALAR, *scalars))
    (found,) = evaluate_graph(graph, [np.float64(2.0), np.bool_(True), np.array([5.0])])
    np.testing.assert_array_equal(found, 7.0)


def test_a_part_that_is_shared_is_not_recomputed():
    def build(x, y, g):
        part = index_add_of(zeros_of(x), g, 0)
        return add(x, part), add(y, part)

    assert after(build, VECTOR, VECTOR, SCALAR).count("index_set") == 1


def test_what_is_cleared_and_added_to_is_set():
    def build(x, v):
        return index_add_of(index_set_of(x, 0.0, slice(1, -1)), v, slice(1, -1))

    inner = ArrayType(DOUBLE, (Size("n", -2),))
    assert after(build, VECTOR, inner) == ["index_set"]


def test_what_is_cleared_is_set_whatever_is_added_elsewhere_meanwhile():
    def build(x, v):
        cleared = index_set_of(x, 0.0, slice(1, -1))
        return index_add_of(index_add_of(cleared, v, slice(2, None)), v, slice(1, -1))

    inner = ArrayType(DOUBLE, (Size("n", -2),))
    assert after(build, VECTOR, inner) == ["index_set", "index_add"]


def test_what_is_cleared_and_gets_back_what_stood_there_stays():
    def build(x, v, w):
        kept = index_of(x, slice(1, -1))
        cleared = index_set_of(x, 0.0, slice(1, -1))
        return index_add_of(subtract(add(v, cleared), w), kept, slice(1, -1))

    assert after(build, VECTOR, VECTOR, VECTOR) == ["add", "subtract"]
    graph = optimise(graph_of(build, VECTOR, VECTOR, VECTOR))
    given = [np.arange(1.0, 5.0), np.full(4, 0.5), np.full(4, 2.0)]
    (found,) = evaluate_graph(graph, given)
    np.testing.assert_array_equal(found, [-0.5, 0.5, 1.5, 2.5])


def test_what_is_cleared_is_stored_whatever_is_stored_elsewhere_meanwhile():
    def build(x, v, *, at):
        stored = index_set_of(index_set_of(x, 0.0, 0), v, at)
        return index_add_of(stored, v, 0)

    assert after(lambda x, v: build(x, v, at=1), VECTOR, SCALAR) == ["index_set"] * 2
    over = after(lambda x, v: build(x, v, at=slice(0, 2)), VECTOR, SCALAR)
    assert over == ["index_set", "index_set", "index_add"]


def test_what_is_cleared_and_read_meanwhile_is_cleared():
    def build(x, v):
        cleared = index_set_of(x, 0.0, 0)
        return index_add_of(add(cleared, v), index_of(x, 0), 0), multiply(cleared, v)

    assert after(build, VECTOR, VECTOR).count("index_set") == 1


def test_a_difference_from_what_is_cleared_is_none_with_it():
    def build(x, v):
        return index_add_of(subtract(v, index_set_of(x, 0.0, 0)), index_of(x, 0), 0)

    found = after(build, VECTOR, VECTOR)
    assert sorted(found) == ["index", "index_add", "index_set", "subtract"]


def test_what_is_added_to_zeros_is_stored_in_the_end():
    assert after(lambda x, g: index_add_of(zeros_of(x), g, 0), VECTOR, SCALAR) == [
        "size",
        "zeros",
        "index_set",
    ]
    places = np.array([0, 0])
    pair = ArrayType(DOUBLE, (2,))
    assert "index_add" in after(lambda x, g: index_add_of(zeros_of(x), g, places), VECTOR, pair)


def test_parts_of_a_part_are_added_to_the_whole():
    def build(m, g, h):
        row = index_of(m, 1)
        part = index_add_of(index_add_of(zeros_of(row), g, 0), h, 1)
        return index_add_of(m, part, 1)

    assert after(build, MATRIX, SCALAR, SCALAR) == ["index_add", "index_add"]


def test_offsets_of_integers_meet():
    assert after(lambda k: subtract(add(k, 1), 1), INT) == []
    assert after(lambda k: subtract(subtract(k, 1), 1), INT) == ["subtract"]


def test_a_numpy_number_beside_an_array_is_written_as_pythons():
    graph = optimise(graph_of(lambda x: multiply(builder().constant(np.float64(2.0)), x), VECTOR))
    assert type(graph.block.nodes[0].attributes["value"]) is float
    single = ArrayType(np.dtype("float32"), (Size("n"),))
    graph = optimise(graph_of(lambda x: multiply(builder().constant(np.float64(2.0)), x), single))
    assert type(graph.block.nodes[0].attributes["value"]) is np.float64


def test_repeated_places_are_not_set():
    places = np.array([0, 0, 1])

    def build(x, v):
        return index_add_of(index_set_of(x, 0.0, places), v, places)

    ops = after(build, VECTOR, ArrayType(DOUBLE, (3,)))
    assert ops[-2:] == ["index_set", "index_add"]


def test_slices_of_slices_are_slices():
    graph = optimise(
        graph_of(lambda x: index_of(index_of(x, slice(1, -1)), slice(2, None)), VECTOR)
    )
    (node,) = graph.block.nodes
    assert (node.attributes["key"][0].start, node.attributes["key"][0].stop) == (3, -1)


def test_storing_what_was_read_is_nothing():
    assert is_first_input(lambda x: index_set_of(x, index_of(x, 2), 2), VECTOR, role="cotangent")


def test_a_read_of_what_was_stored_elsewhere_is_not_taken():
    def build(x, g):
        return index_of(index_set_of(index_set_of(x, g, 0), 0.0, -1), 0)

    assert "index" in after(build, ArrayType(DOUBLE, (Size("n", open=True),)), SCALAR)
    assert "index" not in after(build, VECTOR, SCALAR)  # at least 2 long


@pytest.mark.parametrize(
    ("part", "is_apart"),
    [
        (slice(0, 2), True),
        (slice(3, None), True),
        (1, True),
        (slice(0, 3), False),
        (slice(-1, None), False),
        (-2, False),
        (slice(2, 1), True),
        (slice(None, None, 3), False),
    ],
)
def test_reads_are_of_what_was_stored_before_stores_beside_it(part, is_apart):
    def build(x, g):
        return index_of(index_set_of(index_set_of(x, g, 2), 0.0, part), 2)

    assert ("index" not in after(build, VECTOR, SCALAR)) is is_apart


# Sizes


def test_sizes_of_late_values_are_sizes_of_inputs():
    def build(x):
        late = sin(cos(x))
        return zeros_of(late)

    assert after(build, VECTOR) == ["size", "zeros"]


def test_the_length_of_a_range_over_an_array_is_its_size():
    assert after(lambda x: range_length(0, size(x, axis=0), 1), VECTOR) == ["size"]


# Equal nodes


def test_equal_nodes_are_made_once_across_nested_blocks():
    def build(x, s):
        outer = sin(x)
        with building(Builder()) as arm:
            builder().role = "cotangent"
            inner = sin(x)
        other = Block((), [], (x,))
        return outer, emit_cond(less(s, 0.0), Block((), arm.nodes, (inner,)), other).result

    assert after(build, VECTOR, FLOAT).count("sin") == 1


def test_nodes_of_different_arms_stay():
    def build(x, s):
        arms = []
        for op in (cos, lambda v: v * 2.0):
            with building(Builder()) as arm:
                result = op(sin(x))
            arms.append(Block((), arm.nodes, (result,)))
        return emit_cond(less(s, 0.0), *arms).result

    assert after(build, VECTOR, FLOAT).count("sin") == 2


def test_new_arrays_are_made_as_often_as_the_user_makes_them():
    assert after(lambda x: (copy(x), copy(x)), VECTOR, role="primal") == ["copy", "copy"]
    ops = after(lambda x: (zeros_of(x), zeros_of(x)), VECTOR, role="primal")
    assert ops.count("zeros") == 2


@pytest.mark.parametrize(
    ("f", "z"),
    [
        (lambda z: z - (-0.0), -0.0),
        (lambda z: z - np.float32(-0.0), np.float32(-0.0)),
        (lambda z: z - complex(0.0, -0.0), complex(-0.0, -0.0)),
        (lambda z: z * 1.0, complex(np.inf, 1.0)),
        (lambda z: 1 * z, np.complex128(complex(-0.0, -0.0))),
        (lambda z: z / 1.0, complex(np.nan, 1.0)),
        (lambda z: z**1, np.complex128(complex(0.0, -0.0))),
    ],
)
def test_numbers_that_change_the_bits_of_special_values_are_kept(f, z):
    value, _ = sd.vjp(f, z)
    assert (type(value), repr(value)) == (type(f(z)), repr(f(z)))


def test_zeros_of_both_signs_differ():
    ops = graph_of(lambda x: (multiply(x, 0.0), multiply(x, -0.0)), VECTOR, role="primal")
    assert names(optimise(ops)).count("multiply") == 2


# Control


def loop_of(count, starts, step, xs=(), *, reverse=False):
    index = Value(INT)
    carries = [Value(start.type) for start in starts]
    elements = [Value(tape.type.element) for tape in xs]
    with building(Builder()) as body:
        builder().role = "cotangent"
        following, pushed = step(index, carries, elements)
    block = Block((index, *carries, *elements), body.nodes, (*following, *pushed))
    return LoopView(emit_loop(count, starts, xs, block, reverse=reverse))


def loops(graph):
    return [LoopView(node) for node in walk_nodes(graph.block) if node.op.name == "loop"]


def test_carries_that_nothing_reads_are_left_out():
    def build(n, s):
        def step(index, carries, elements):
            return (carries[0] * 2.0, carries[1] + carries[0]), (sin(carries[1]),)

        return loop_of(n, [s, s], step).finals[0]

    (view,) = loops(optimise(graph_of(build, INT, FLOAT), check=True))
    assert view.carry_count == 1
    assert not view.ys


def test_a_carry_that_a_condition_reads_stays():
    def build(s):
        def step(index, carries, elements):
            return (carries[0] * 2.0, carries[1] - 1.0), ()

        index, *carries = Value(INT), Value(FLOAT), Value(FLOAT)
        with building(Builder()) as condition:
            going = less(0.0, carries[1])
        block = Block((index, *carries), condition.nodes, (going,))
        view = loop_of(builder().constant(9), [s, s], step)
        whole = emit_loop(None, [s, s], [], view.body, block)
        builder().nodes.remove(view.node)
        return whole.results[0]

    (view,) = loops(optimise(graph_of(build, FLOAT), check=True))
    assert view.carry_count == 2


def test_carries_that_never_change_become_captures():
    def build(n, s, t):
        def step(index, carries, elements):
            return (carries[0] * carries[1], carries[1]), ()

        return loop_of(n, [s, t], step).finals

    graph = optimise(graph_of(build, INT, FLOAT, FLOAT), check=True)
    (view,) = loops(graph)
    assert view.carry_count == 1
    assert graph.block.results[1] is graph.block.parameters[2]


def test_a_tape_of_what_does_not_change_is_that_value():
    def build(n, s, t):
        def push(index, carries, elements):
            return (carries[0] * s,), (s, index)

        def read(index, carries, elements):
            return (carries[0] + elements[0] * (elements[1] + 1),), ()

        first = loop_of(n, [t], push)
        return loop_of(first.turns, [first.finals[0]], read, first.ys, reverse=True).finals[0]

    views = loops(optimise(graph_of(build, INT, FLOAT, FLOAT), check=True))
    assert all(not view.ys and not view.xs for view in views)


def test_what_does_not_change_is_computed_before_the_loop():
    def build(n, s, x):
        def step(index, carries, elements):
            return (carries[0] * sin(s) + sum(cos(x), axis=None, keepdims=False),), ()

        start = sum(x, axis=None, keepdims=False)
        return loop_of(n, [start], step).finals[0]

    (view,) = loops(optimise(graph_of(build, INT, FLOAT, VECTOR), check=True))
    assert [node.op.name for node in view.body.nodes] == ["multiply", "add"]


def test_what_may_raise_is_not_moved_across_a_loops_entry():
    def build(n, s, k, x):
        def step(index, carries, elements):
            builder().role = "primal"
            return (carries[0] + index_of(x, k),), ()

        start = sum(x, axis=None, keepdims=False)
        return loop_of(n, [start], step).finals[0]

    (view,) = loops(optimise(graph_of(build, INT, FLOAT, INT, VECTOR), check=True))
    assert "index" in [node.op.name for node in view.body.nodes]


def test_nothing_moves_out_of_an_arm():
    def build(n, s, t):
        def step(index, carries, elements):
            with building(Builder()) as arm:
                builder().role = "cotangent"
                heavy = sin(s)
            then = Block((), arm.nodes, (heavy,))
            chosen = emit_cond(less(index, 2), then, Block((), [], (t,))).result
            return (carries[0] * chosen,), ()

        start = sin(t)
        return loop_of(n, [start], step).finals[0]

    graph = optimise(graph_of(build, INT, SCALAR, SCALAR), check=True)
    assert [node.op.name for node in graph.block.nodes].count("sin") == 1


def test_what_reads_a_value_that_may_be_undefined_stays_in_its_loop():
    def build(p, n, x):
        with building(Builder()) as then:
            made = sin(x)
        with building(Builder()) as orelse:
            nothing = emit_undefined(VECTOR)
        arms = Block((), then.nodes, (made,)), Block((), orelse.nodes, (nothing,))
        maybe = emit_cond(p, *arms).result

        def step(index, carries, elements):
            return (carries[0] + sum(cos(maybe), axis=None, keepdims=False),), ()

        return loop_of(n, [sum(x, axis=None, keepdims=False)], step).finals[0]

    (view,) = loops(optimise(graph_of(build, BOOL, INT, VECTOR), check=True))
    assert [node.op.name for node in view.body.nodes] == ["cos", "sum", "add"]


def test_a_value_from_before_a_branch_is_itself_where_the_other_path_has_none():
    def build(p, x):
        with building(Builder()) as arm:
            nothing = emit_undefined(VECTOR)
        return emit_cond(p, Block((), [], (x,)), Block((), arm.nodes, (nothing,))).result

    graph = optimise(graph_of(build, BOOL, VECTOR), check=True)
    assert graph.block.nodes == []
    assert graph.block.results == (graph.block.parameters[1],)


def test_an_input_that_may_be_undefined_is_not_asked_for_its_size():
    graph = graph_of(lambda maybe, x: zeros_of(sin(x)), VECTOR, VECTOR)
    graph.inputs = (Input(("maybe",), "partial"), *graph.inputs[1:])
    after = optimise(graph, check=True)
    (asked,) = [node.operands[0] for node in after.block.nodes if node.op.name == "size"]
    assert asked is after.block.parameters[1]


def test_a_known_branch_is_its_arm():
    def build(x):
        with building(Builder()) as arm:
            taken = sin(x)
        yes = Block((), arm.nodes, (taken,))
        return emit_cond(builder().constant(True), yes, Block((), [], (x,))).result

    assert after(build, VECTOR) == ["sin"]


def checked_again(x, y):
    if y > 10.0:
        raise ValueError("large")
    z = x * x
    if y > 10.0:
        raise OverflowError("never here")
    z = z * x if not y > 10.0 else z + 1.0
    return z


def checked_in_turns(x, y, n):
    for _ in range(n):
        if y > 10.0:
            raise ValueError("large")
        x = x * x
    if y > 10.0:
        x = x + y
    return x


def test_what_would_have_raised_before_is_known_behind():
    gradient = sd.grad(checked_again)
    source = str(sd.differentiable(checked_again).source(2.0, 1.0))
    branches = [line for line in source.splitlines() if line.lstrip().startswith(("if", "el"))]
    assert source.count("raise ") == 1 and branches == ["    if y > 10.0:"]
    assert gradient(2.0, 1.0) == 12.0
    with pytest.raises(ValueError, match="large"):
        gradient(2.0, 11.0)


def test_what_a_turn_would_have_raised_is_not_known_behind_a_loop_without_turns():
    gradient = sd.grad(checked_in_turns, argnums=(0, 1))
    assert gradient(2.0, 1.0, 2) == (32.0, 0.0)
    assert gradient(2.0, 11.0, 0) == (1.0, 1.0)
    with pytest.raises(ValueError, match="large"):
        gradient(2.0, 11.0, 2)


def test_a_result_on_which_both_arms_agree_is_that_value():
    def build(p, x):
        return emit_cond(p, Block((), [], (x,)), Block((), [], (x,))).result

    assert after(build, BOOL, VECTOR) == []


# What must stay


def test_an_index_that_may_not_exist_is_still_tried():
    assert after(lambda x: (index_of(x, 3), x)[1], VECTOR, role="primal") == ["index"]
    assert after(lambda x: (index_of(x, slice(1, 3)), x)[1], VECTOR, role="primal") == []


def indexed(start, stop, step, offset=0):
    """A loop over a range that reads ``x[i + offset]``, and nothing else."""

    def build(x):
        n = size(x, axis=0)
        bounds = [n + int(b) if isinstance(b, float) else b for b in (start, stop, step)]
        values = [builder().value(bound) for bound in bounds]

        def body(index, carries, elements):
            builder().role = "primal"
            place = range_element(values[0], values[2], index)
            index_of(x, add(place, offset))
            return (), ()

        loop_of(range_length(*values), [], body)
        return x

    return after(build, VECTOR, role="primal")


N = 0.0  # stands for the size of the array


@pytest.mark.parametrize(
    ("start", "stop", "step", "offset"),
    [(0, N, 1, 0), (1, N, 1, -1), (0, N - 1, 1, 1), (2, N - 2, 3, -2), (N - 1, -1, -1, 0)],
)
def test_an_index_known_to_exist_is_not_tried(start, stop, step, offset):
    assert indexed(start, stop, step, offset) == []


@pytest.mark.parametrize(
    ("start", "stop", "step", "offset"),
    [
        (0, N, 1, 1),
        (0, N, 1, -1),
        (0, N + 1, 1, 0),
        (N, -1, -1, 0),
        (N - 1, -2, -1, 0),
        (0, 7, 1, 0),
    ],
)
def test_an_index_that_may_be_out_of_bounds_is_tried(start, stop, step, offset):
    assert "index" in indexed(start, stop, step, offset)


def test_shapes_that_may_not_fit_are_still_tried():
    other = ArrayType(DOUBLE, (Size("m"),))
    left = after(lambda x, y: (add(x, y), x)[1], VECTOR, other, role="primal")
    assert left == ["fit_together"]
    assert after(lambda x, y: (add(x, y), x)[1], VECTOR, VECTOR, role="primal") == []


def test_a_division_of_python_numbers_is_still_tried():
    assert after(lambda x, y: (divide(x, y), x)[1], FLOAT, FLOAT, role="primal") == ["divide"]
    assert after(lambda x: (divide(x, 2.0), x)[1], FLOAT, role="primal") == []


def test_derivatives_leave_no_checks_behind():
    assert after(lambda x: (index_of(x, 3), x)[1], VECTOR) == []


def test_effects_stay_with_the_loops_around_them():
    def build(n, s):
        def step(index, carries, elements):
            print_(carries[0])
            return (carries[0] * 2.0, carries[1] * 3.0), ()

        loop_of(n, [s, s], step)
        return s

    (view,) = loops(optimise(graph_of(build, INT, FLOAT), check=True))
    assert view.carry_count == 1


def test_each_rule_pass_can_be_run_alone():
    graph = graph_of(lambda x: multiply(add(x, 0.0), add(1.0, 1.0)), VECTOR)
    assert names(PASSES["fold"](graph)) == ["add", "multiply"]
    assert names(PASSES["algebra"](graph)) == ["add", "multiply"]
    assert names(optimise(graph, ["fold", "algebra", "dead"])) == ["multiply"]


# Solutions and outer products


def test_the_solution_of_a_multiple_is_that_of_the_solution():
    def build(a, x):
        return add(solve(a, x), add(solve(a, multiply(0.5, x)), solve(a, negative(x))))

    square = ArrayType(DOUBLE, (Size("n"), Size("n")))
    graph = graph_of(build, square, VECTOR)
    optimised = optimise(graph, check=True)
    assert names(optimised).count("solve") == 1
    point = np.array([[2.0, 1.0], [0.5, 3.0]]), np.array([0.7, -1.1])
    expected = 0.5 * np.linalg.inv(point[0]) @ point[1]
    np.testing.assert_allclose(evaluate_graph(optimised, point)[0], expected, rtol=1e-14)
    assert after(build, square, VECTOR, role="primal").count("solve") == 3


def test_a_multiple_that_is_solved_for_alone_stays():
    square = ArrayType(DOUBLE, (Size("n"), Size("n")))
    made = after(lambda a, x: solve(a, multiply(0.5, x)), square, VECTOR)
    assert made == ["multiply", "solve"]


def test_an_outer_product_is_transposed_by_its_factors():
    other = ArrayType(DOUBLE, (Size("m"),))

    def build(x, y):
        return transpose(negative(outer(x, y)), axes=(1, 0))

    optimised = optimise(graph_of(build, VECTOR, other), check=True)
    assert "transpose" not in names(optimised)
    point = np.array([0.5, -2.0]), np.array([1.0, 3.0, 4.0])
    np.testing.assert_array_equal(evaluate_graph(optimised, point)[0], -np.outer(*point).T)
    assert "transpose" in after(build, VECTOR, other, role="primal")


def test_a_factor_that_is_undone_gives_what_was_multiplied():
    def build(x):
        half = multiply(0.5, x)
        return multiply(2.0, half), half

    optimised = optimise(graph_of(build, VECTOR), check=True)
    assert optimised.block.results[0] is optimised.block.parameters[0]
    assert after(build, VECTOR, role="primal") == ["multiply", "multiply"]


def _heat(k, start, steps):
    u = start.copy()
    for _ in range(steps):
        flux = k[1:] * (u[1:] - u[:-1])
        u[1:-1] += 0.1 * (flux[1:] - flux[:-1])
    return np.sum(u[::2] ** 2)


def test_what_is_the_same_in_each_turn_is_not_kept_for_each():
    k, start = np.linspace(0.4, 1.3, 6), np.cos(np.arange(6.0))
    gradient = sd.grad(_heat, argnums=(0, 1))
    assert gradient.source(k, start, 4).count(".append(") == 1
    for found, name in zip(gradient(k, start, 4), "ku", strict=True):
        for j in range(6):
            step = np.where(np.arange(6) == j, 1e-30j, 0)
            moved = (k + step, start + 0j) if name == "k" else (k, start + step)
            np.testing.assert_allclose(found[j], np.imag(_heat(*moved, 4)) / 1e-30, rtol=1e-12)


def test_a_length_that_is_compared_with_itself_is_not_compared():
    def largest(x):
        found = {}
        for v in x:
            found[int(v)] = found.get(int(v), 0.0) + v * v
        return max(found.values())

    x = np.array([1.2, 2.1, 1.9])
    assert "changed size" not in sd.grad(largest).source(x)
    np.testing.assert_allclose(sd.grad(largest)(x), [2.4, 0.0, 3.8])
