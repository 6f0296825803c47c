"""Searches of tables are small: threads would wait for one another, the more so beside another worker."""

import torch

torch.set_num_threads(1)
