"""Models are written byte for byte as the package `onnx` writes them."""

import io
import zlib
from base64 import b85decode

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from notewell.models.graphs import open_session
from notewell.models.onnx_writer import (
    ALIGN,
    FLOAT,
    FLOAT16,
    INT8,
    INT32,
    INT64,
    MICROSOFT,
    UINT8,
    ElementType,
    GraphBuilder,
)

TYPES = (FLOAT, UINT8, INT8, INT32, INT64, FLOAT16)
# The graph of `sample`, made with `onnx.helper` of onnx 1.23.2 and compressed.
BY_ONNX = (
    "c-nPR%}&BV7-XB$E}tR5M%4Io;X=|FQouyRg@(i!i1DH)FHI?n6w7YYT@*O^ARc%CU&Dv-DRe=B65@B7otbaGWU@HZ"
    "_|m}v<HZZdQ~>y#3F$HE+6i1u@+5N~20nFd*Dj@(u#tipY}kakmcVs#aO+KJe8=OF7X~v=2AsK7l|puTYaeuP5{RSk"
    ")u1`jtOA%c5<$pW@#C|6IY&s{zJ`B-N%kT3n25NbZcW|Ete;j6^oYhIC*^34N;XwY1-9)3-"
    "_UUE*43iEK#i==N0m|F$6WBfgi}}>h!ImU4rK|qdz8sQPKimG&wDhsjxoxctwetvocfy`t=hroXsu~^l+bF6y|<>4o"
    "E@#c&TLw3Jby=9>cy}KIOP7a7m}G&UTN?&kYcz82JiO;l?2(t92g;GPjW!gSGJl6J(gGBf}Ft#M&uAolJ0ua9{?tX<"
    "j<4|(6H83#@_;VjY{5_TRNojg;oK!tIVSxa8tIj"
)


def sample() -> GraphBuilder:
    """A graph with each kind of attribute, constants within it and outside."""
    graph = GraphBuilder("x.weights")
    zero, end = graph.integers(0), graph.integers(300)
    cut = graph.node("Slice", "values", zero, end, zero)
    scale, shift = graph.constant(np.float32([1, 2])), graph.constant(np.float32([0, 0.5]))
    normal = graph.node("LayerNormalization", cut, scale, shift, epsilon=1e-5, axis=-1)
    turned = graph.node("Transpose", normal, perm=[0, 2, 1])
    graph.rename(graph.node("Gelu", turned, domain=MICROSOFT), "result")
    graph.constant(np.arange(20_000, dtype=np.float32))
    return graph


def test_the_bytes_are_those_of_the_package_onnx() -> None:
    built = sample().finish(
        {"values": (FLOAT, ("batch", "tokens", 2))}, {"result": (FLOAT, ("batch", 2, "tokens"))}
    )

    assert built.model == zlib.decompress(b85decode(BY_ONNX))
    assert list(built.tensors) == ["constant_4"]


@pytest.mark.parametrize("kind", TYPES)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_a_constant_comes_back_as_it_was(kind: ElementType, data: st.DataObject) -> None:
    shapes = array_shapes(min_dims=0, max_dims=4, max_side=5)
    value = data.draw(
        arrays(
            kind.dtype, shapes, elements={"allow_nan": False} if kind in (FLOAT, FLOAT16) else None
        )
    )
    graph = GraphBuilder()
    graph.rename(graph.constant(value), "same")

    (same,) = open_session(graph.finish({}, {"same": (kind, value.shape)})).run(None, {})

    assert same.dtype == value.dtype
    assert np.array_equal(same, value)


def test_large_tensors_lie_at_the_places_that_the_model_names() -> None:
    graph = GraphBuilder()
    tensors = [np.full(size, number, np.float32) for number, size in enumerate((20_000, 16_384))]
    for tensor in tensors:
        graph.constant(tensor)
    file = io.BytesIO()

    graph.finish({}, {}).write_tensors(file)

    content = file.getvalue()
    assert content[: tensors[0].nbytes] == tensors[0].tobytes()
    assert content[2 * ALIGN :] == tensors[1].tobytes()
