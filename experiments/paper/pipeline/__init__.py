"""What the stages share: language pairs, workspaces, gold sets, decoders and scores."""
