"""Tables too large for one worker: a top tree cuts them into shards, which are grouped one by one.

`router`: which shard a row belongs to. `top_tree`: growing it on a sample. `facts`: exact counts of each shard, and
whether it keeps what is promised. `joining`: what becomes of a shard that does not. `release`: the generalizations of
all shards as one.
"""
