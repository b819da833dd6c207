"""The encoder in plain numpy, float64, written from the papers: the reference for our graphs."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from notewell.models.encoder import Encoder, Linear, Norm, ScoreHead


def embed(encoder: Encoder, ids: Sequence[int]) -> np.ndarray:
    """The mean-pooled unit vector of one text."""
    pooled = hidden(encoder, ids).mean(axis=0)
    return pooled / np.linalg.norm(pooled)


def judge(encoder: Encoder, head: ScoreHead, ids: Sequence[int], segments: Sequence[int]) -> float:
    """What a cross-encoder says of a pair."""
    first = hidden(encoder, ids, np.outer(segments, head.second_segment))[:1]
    gathered = np.tanh(_linear(first, head.pooler))
    return float(1.0 / (1.0 + np.exp(-_linear(gathered, head.classifier)[0, 0])))


def hidden(encoder: Encoder, ids: Sequence[int], added: float | np.ndarray = 0.0) -> np.ndarray:
    """The states of all tokens after the last layer; `added` goes to the first layer's input."""
    config = encoder.config
    x = encoder.words[list(ids)].astype(np.float64) + encoder.positions[: len(ids)] + added
    x = _norm(x, encoder.embedding_norm, config.norm_epsilon)
    width = config.hidden_size // config.heads
    for layer in encoder.layers:
        query, key, value = (_linear(x, part) for part in (layer.query, layer.key, layer.value))
        mixed = np.zeros_like(x)
        for head in range(config.heads):
            part = slice(head * width, (head + 1) * width)
            scores = query[:, part] @ key[:, part].T / math.sqrt(width)
            if encoder.distance_bias is not None:
                scores += _bias(encoder.distance_bias[:, head], len(ids))
            weights = np.exp(scores - scores.max(axis=1, keepdims=True))
            mixed[:, part] = weights / weights.sum(axis=1, keepdims=True) @ value[:, part]
        x = _norm(
            _linear(mixed, layer.attention_output) + x, layer.attention_norm, config.norm_epsilon
        )
        wide = _linear(x, layer.intermediate)
        wide = wide * 0.5 * (1.0 + np.vectorize(math.erf)(wide / math.sqrt(2.0)))
        x = _norm(_linear(wide, layer.output) + x, layer.output_norm, config.norm_epsilon)
    return x


def _linear(x: np.ndarray, linear: Linear) -> np.ndarray:
    return x @ linear.weight.astype(np.float64) + linear.bias


def _norm(x: np.ndarray, norm: Norm, epsilon: float) -> np.ndarray:
    centred = x - x.mean(axis=1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + epsilon) * norm.scale + (
        norm.shift
    )


def _bias(table: np.ndarray, count: int) -> np.ndarray:
    middle = (len(table) - 1) // 2
    return np.array(
        [[table[middle + key - query] for key in range(count)] for query in range(count)]
    )
