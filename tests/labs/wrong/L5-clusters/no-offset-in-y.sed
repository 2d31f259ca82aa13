# The place in the cluster counts in x only.
s/ \+ cg::cluster_group::block_index\(\)\.y//
