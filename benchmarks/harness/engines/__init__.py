"""Translation engines on the same weights: ours, CTranslate2 and transformers."""
