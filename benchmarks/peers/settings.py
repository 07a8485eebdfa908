# SPDX-License-Identifier: Apache-2.0
"""What an exported step does not say in its shapes, and AdamW's numbers."""
HEAD_SIZE = 64
EPSILON = 1e-5
ADAMW = {"lr": 1e-3, "betas": (0.9, 0.95), "eps": 1e-8, "weight_decay": 0.1}
