"""Attributes of other libraries' objects that the objects of this package lack, and what to use instead.

A hint is an expression, or several that `, or ` separates; what follows a semicolon is for the reader. In the expressions, `A`
is a matrix, `R` a ragged array, `G` a graph and `F` a frontier.
"""


def _alike(names, hint):
    """Return one hint for all names in a text."""
    return dict.fromkeys(names.split(), hint)


MATRIX = {
    "A": "A.toarray()",
    "A1": "A.toarray().ravel()",
    "H": "A.T.conj()",
    "getH": "A.T.conj()",
    "mH": "A.T.conj()",
    "t": "A.T",
    "swapaxes": "A.T",
    "getrow": "A[[i]]",
    "getrowview": "A[i]",
    "getcol": "A[:, [j]]",
    "getnnz": "A.nnz, or numpy.diff(A.tocsr().indptr)",
    "getformat": "A.format",
    "getmaxprint": "A.maxprint",
    "get_shape": "A.shape",
    "set_shape": "A.resize(shape)",
    "asfptype": "A.astype(float)",
    "row": "A.tocoo().row",
    "col": "A.tocoo().col",
    "coords": "A.tocoo().coords",
    "blocksize": "A.tobsr().blocksize",
    "offsets": "A.todia().offsets",
    "keys": "zip(*A.nonzero())",
    "items": "zip(*A.nonzero())",
    "values": "A.data",
    "tensordot": "numpy.tensordot(A, B, 1)",
    "any": "numpy.any(A, axis=0)",
    "all": "numpy.all(A, axis=0)",
    "clip": "numpy.clip(A, -1, 1)",
    "round": "round(A, 2)",
    "take": "numpy.take(A, [i, j], axis=0)",
    "item": "A[i, j]",
    "iloc": "A[i, j]",
    "loc": "A[i, j]",
    "head": "A[:5]",
    "squeeze": "A.reshape(-1)",
    "flat": "A.ravel()",
    "fill": "A.data.fill(x)",
    "itemsize": "A.dtype.itemsize",
    "tolist": "A.toarray().tolist()",
    "diag": "A.diagonal()",
    "abs": "abs(A)",
    "add": "A + B",
    "subtract": "A - B",
    "mm": "A @ B",
    "mv": "A.matvec(b)",
    "get": "A.to_device('cpu'); an element is A[i, j]",
    "cpu": "A.to_device('cpu')",
    "cuda": "A.to_device('cuda')",
    "to": "A.to_device('cpu'), or A.astype(float)",
    "crow_indices": "A.indptr",
    "col_indices": "A.indices",
    "coalesce": "A.sum_duplicates()",
    "is_coalesced": "A.has_canonical_format",
    "density": "A.nnz / (A.shape[0] * A.shape[1])",
    "inv": "spark_csr.linalg.inv(A)",
    "norm": "spark_csr.linalg.norm(A)",
    "solve": "spark_csr.linalg.spsolve(A, b)",
    "svd": "spark_csr.linalg.svds(A, 1)",
    "spy": "spark_csr.spy(A)",
    "plot": "spark_csr.spy(A)",
    "tril": "spark_csr.tril(A)",
    "triu": "spark_csr.triu(A)",
    "kron": "spark_csr.kron(A, B)",
    "to_networkx": "spark_csr.graph.Graph(A).to_networkx()",
}
"""Attributes of matrices: those of SciPy, CuPy, torch, NumPy and pandas."""

MATRIX |= _alike("check_format has_sorted_indices indices indptr prune sort_indices", "A.tocsr()")
MATRIX |= {"sorted_indices": "A.tocsr().sorted_indices()"}
MATRIX |= _alike("numpy to_numpy to_dense to_array dense", "A.toarray()")
MATRIX |= {f"to_{form}": f"A.to{form}()" for form in ("csr", "csc", "coo", "bsr", "dia", "dok", "lil")}
MATRIX |= {"to_sparse_csr": "A.tocsr()", "to_sparse_csc": "A.tocsc()", "to_sparse_coo": "A.tocoo()"}
MATRIX |= _alike("nrows n_rows rows num_rows", "A.shape[0]")
MATRIX |= _alike("ncols n_cols cols columns num_cols", "A.shape[1]")
MATRIX |= _alike(
    """argpartition argsort base byteswap choose compress ctypes cumprod cumsum dump dumps flags getfield partition prod put
    repeat searchsorted setfield setflags sort strides tobytes tofile view""",
    "A.toarray(), or A.data; only dense arrays have it",
)

RAGGED = {
    "tolist": "R.to_lists()",
    "to_list": "R.to_lists()",
    "tocsr": "R.astype(int).to_csr(columns)",
    "ravel": "R.flatten()",
    "flat": "R.flatten()",
    "data": "R.values",
    "nnz": "R.size",
    "real": "R.values.real",
    "imag": "R.values.imag",
    "conj": "numpy.conjugate(R)",
    "conjugate": "numpy.conjugate(R)",
    "abs": "abs(R)",
    "nonzero": "numpy.nonzero(R)",
    "mask": "R[R > 0]",
    "take": "R[[i, j]]",
    "item": "R.values.item(i)",
    "itemsize": "R.dtype.itemsize",
    "shape": "len(R), or R.counts(); the lists have no one length",
    "row_splits": "R.offsets[0]",
    "indptr": "R.offsets[0]",
    "value_rowids": "R.coordinates()[0]",
    "segment_ids": "R.coordinates()[0]",
    "explode": "R.coordinates(), R.values",
    "append": "spark_csr.Ragged.concatenate([R, R])",
    "extend": "spark_csr.Ragged.concatenate([R, R])",
    "apply": "R.map(lambda x: x + 1)",
    "unbind": "list(R)",
    "show": "print(R)",
    "get": "R.to_device('cpu')",
    "cpu": "R.to_device('cpu')",
    "cuda": "R.to_device('cuda')",
    "to": "R.to_device('cpu'), or R.astype(float)",
    "to_awkward": "spark_csr.interop.awkward.to_awkward(R)",
    "to_arrow": "spark_csr.interop.arrow.to_arrow(R)",
    "to_torch": "spark_csr.interop.torch.to_nested(R)",
}
"""Attributes of ragged arrays: those of NumPy, awkward-array, CuPy and torch."""

RAGGED |= _alike("numpy to_numpy", "R.to_padded(), or R.values")
RAGGED |= _alike("lengths row_lengths len num", "R.counts()")
RAGGED |= _alike(
    "T mT to_padded_tensor diagonal dot reshape resize squeeze swapaxes trace transpose",
    "R.to_padded(); lists of differing lengths have no such form",
)
RAGGED |= _alike(
    """argpartition base byteswap choose compress ctypes dump dumps flags getfield partition put repeat searchsorted setfield
    setflags strides tobytes tofile view""",
    "R.values, or R.to_padded(); only NumPy's arrays have it",
)
RAGGED |= _alike(
    """Mask attrs behavior cpp_type fields is_tuple layout named_axis numba_type positional_axis type typestr""",
    "spark_csr.interop.awkward.to_awkward(R)",
)

FUNCTIONS = """average_clustering betweenness closeness_centrality clustering color connected_components core_number
    eccentricity edge_betweenness eigenvector_centrality harmonic_centrality hits k_core katz_centrality label_propagation
    leiden_communities louvain_communities minimum_spanning_tree pagerank topological_generations topological_sort
    transitivity triangle_count triangles"""
"""Functions of `spark_csr.graph` that need nothing but a graph."""

GRAPH = {
    "nodes": "range(G.n_vertices), or G.names",
    "vs": "range(G.n_vertices), or G.names",
    "edges": "G.sources(), G.matrix.indices, G.matrix.data",
    "es": "G.sources(), G.matrix.indices, G.matrix.data",
    "edge_index": "G.sources(), G.matrix.indices",
    "weights": "G.matrix.data",
    "data": "G.matrix.data",
    "indptr": "G.matrix.indptr",
    "indices": "G.matrix.indices",
    "edge_ids": "G.transpose.edge_ids; only graphs that transpose returns have it",
    "degree": "G.degrees()",
    "out_degree": "G.degrees('out')",
    "in_degree": "G.degrees('in')",
    "adj": "G.neighbors(u), or G.matrix",
    "adjacency": "G.matrix",
    "adjacency_matrix": "G.matrix",
    "has_edge": "v in G.neighbors(u)",
    "has_successor": "v in G.neighbors(u)",
    "has_predecessor": "v in G.neighbors(u, 'in')",
    "has_node": "u in G",
    "get_edge_data": "G.matrix[u, v]",
    "reverse": "G.transpose",
    "T": "G.transpose",
    "to_undirected": "G.symmetrize()",
    "to_directed": "spark_csr.graph.Graph(G.matrix)",
    "is_directed": "G.directed",
    "copy": "copy.deepcopy(G)",
    "shortest_path": "spark_csr.graph.sssp(G, u)",
    "shortest_paths": "spark_csr.graph.sssp(G, u)",
    "distances": "spark_csr.graph.sssp(G, u)",
    "dijkstra": "spark_csr.graph.sssp(G, u)",
    "to_pandas_edgelist": "G.to_pandas()",
    "toarray": "G.matrix.toarray()",
    "to_scipy": "G.matrix.to_scipy()",
    "get": "G.to_device('cpu')",
    "cpu": "G.to_device('cpu')",
    "cuda": "G.to_device('cuda')",
    "to": "G.to_device('cpu')",
}
"""Attributes of graphs: those of networkx and igraph, and the functions of `spark_csr.graph`."""

GRAPH |= _alike("number_of_nodes order vcount num_nodes num_vertices n_nodes", "G.n_vertices")
GRAPH |= _alike("number_of_edges size ecount num_edges", "G.n_edges")
GRAPH |= _alike("to_csv to_parquet save write_edgelist write_weighted_edgelist", "G.write('edges.csv')")
GRAPH |= _alike("successors succ out_edges neighbours neighborhood", "G.neighbors(u)")
GRAPH |= _alike("predecessors pred in_edges", "G.neighbors(u, 'in')")
GRAPH |= _alike(
    """add_edge add_edges add_edges_from add_node add_nodes_from add_vertex add_vertices add_weighted_edges_from clear
    clear_edges delete_edges delete_vertices remove_edge remove_edges_from remove_node remove_nodes_from update""",
    "spark_csr.graph.Graph.from_edges(source, target); a graph does not change",
)
GRAPH |= _alike(
    """adjlist_inner_dict_factory adjlist_outer_dict_factory draw edge_attr_dict_factory edge_subgraph graph_attr_dict_factory
    is_multigraph name nbunch_iter node_attr_dict_factory node_dict_factory plot to_directed_class to_undirected_class""",
    "G.to_networkx()",
)
GRAPH |= {name: f"spark_csr.graph.{name}(G)" for name in FUNCTIONS.split()}
GRAPH |= {name: f"spark_csr.graph.{name}(G, u)" for name in ("bfs", "sssp")}
GRAPH |= {"personalized_pagerank": "spark_csr.graph.personalized_pagerank(G, [u])", "k_hop": "spark_csr.graph.k_hop(G, u, 2)"}

FRONTIER = {
    "size": "len(F)",
    "shape": "len(F)",
    "count": "len(F)",
    "empty": "len(F) == 0",
    "nodes": "F.items",
    "vertices": "F.items",
    "numpy": "F.items",
    "get": "F.items",
    "cpu": "F.items",
    "tolist": "F.items.tolist()",
    "dtype": "F.items.dtype",
    "mask": "F.bitmap",
    "copy": "spark_csr.graph.Frontier.of(G, F.items)",
    "to_device": "spark_csr.graph.Frontier.of(G, F.items); it is on the device of G",
}
"""Attributes of frontiers: those of lists, sets and arrays."""

FRONTIER |= _alike("append extend insert union update", "F.add([u])")
FRONTIER |= _alike(
    "clear difference discard intersection pop remove",
    "spark_csr.graph.filter(F, lambda i: i != 0); it returns another frontier",
)
