# All four blocks do the tile of the first one.
s/ \+ cg::cluster_group::block_index\(\)\.[xy]//
