"""Sampled neighbours for PyTorch Geometric's loaders: what is drawn exists, is numbered as theirs is, and is learnt."""

import doctest
import sys
import warnings

import numpy as np
import pytest

from spark_csr._array import SIMULATED
from spark_csr.graph import Graph

torch = pytest.importorskip("torch", reason="needs PyTorch: pip install torch")
if SIMULATED:
    pytest.skip("torch's tensors on the cores are no device arrays", allow_module_level=True)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # torch_geometric 2.8 calls what torch 2.15 deprecates
    pytest.importorskip("torch_geometric", reason="needs PyTorch Geometric: pip install torch_geometric")

    from torch_geometric import EdgeIndex
    from torch_geometric.data import Data, HeteroData
    from torch_geometric.loader import ImbalancedSampler, LinkLoader, NodeLoader
    from torch_geometric.nn import SAGEConv
    from torch_geometric.sampler import NegativeSampling, NodeSamplerInput
    from torch_geometric.utils import k_hop_subgraph, trim_to_layer

    from spark_csr.interop import pyg
    from spark_csr.interop.pyg import NeighborSampler
    from spark_csr.interop.torch import to_edge_index

pytestmark = [
    pytest.mark.usefixtures("cpu_only"),
    pytest.mark.filterwarnings("ignore:Failing to pass a value to the 'type_params'"),
]

N = 200


@pytest.fixture(scope="module")
def data():
    """A graph with parallel edges, self-loops, vertices without edges, and attributes that say which edge or vertex it is."""
    edge_index = torch.randint(N - 20, (2, 1500), generator=torch.Generator().manual_seed(0))
    edge_index[:, :50] = edge_index[:, 50:100]
    edge_index[1, :5] = edge_index[0, :5]
    return Data(torch.arange(N)[:, None] * 1.0, edge_index, edge_attr=torch.arange(1500) * 10, y=torch.arange(N), num_nodes=N)


def batches(data, node_sampler, seeds, **settings):
    return list(NodeLoader(data, node_sampler, seeds, **{"batch_size": 8} | settings))


def same(one, two):
    return all(torch.equal(one[name], two[name]) for name in ("n_id", "e_id", "edge_index", "input_id"))


def check_batch(batch, data, numbers, replace=False):
    """Vertices that were given come first, all others once; every edge is one of the graph, and is where its hop says."""
    given, n = batch.batch_size, batch.num_nodes
    assert torch.equal(batch.x[:, 0].long(), batch.n_id)
    assert torch.equal(batch.y, batch.n_id)
    assert batch.n_id[given:].unique().numel() == n - given
    assert not set(batch.n_id[:given].tolist()) & set(batch.n_id[given:].tolist())
    assert torch.equal(data.edge_index[:, batch.e_id], batch.n_id[batch.edge_index])
    assert torch.equal(batch.edge_attr, batch.e_id * 10)
    assert (batch.batch, batch.num_sampled_nodes[0], sum(batch.num_sampled_nodes)) == (None, given, n)
    assert (len(batch.num_sampled_nodes), sum(batch.num_sampled_edges)) == (len(numbers) + 1, batch.num_edges)
    begins = np.cumsum([0, *batch.num_sampled_nodes])
    edges = np.cumsum([0, *batch.num_sampled_edges])
    degree = torch.bincount(data.edge_index[1], minlength=N)[batch.n_id]
    for hop, number in enumerate(numbers):
        source, target = batch.edge_index[:, edges[hop] : edges[hop + 1]]
        of_target = torch.bincount(target, minlength=n)
        expected = degree.clone() if number < 0 else torch.where(degree > 0, number, 0) if replace else degree.clamp(max=number)
        expected[: begins[hop]] = expected[begins[hop + 1] :] = 0
        assert torch.equal(of_target, expected)
        assert source.numel() == 0 or int(source.max()) < begins[hop + 2]
        assert set(range(begins[hop + 1], begins[hop + 2])) <= set(source.tolist())
    if not replace:
        assert batch.e_id.unique().numel() == batch.num_edges or batch.n_id.unique().numel() < n


@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize("numbers", [[4, 3], [2], [-1, 2], [0, 3], [3, 2, 2]])
def test_what_is_drawn(data, numbers, replace):
    drawn = batches(data, NeighborSampler(data, numbers, replace=replace), None)
    assert torch.equal(torch.cat([batch.n_id[:8] for batch in drawn]), torch.arange(N))
    for batch in drawn:
        check_batch(batch, data, numbers, replace)


@pytest.mark.parametrize("hops", [1, 2, 3])
def test_all_edges_are_those_of_the_subgraph(data, hops):
    """With `directed=True`, `k_hop_subgraph` has the edges that are followed from the targets, as here."""
    (batch,) = batches(data, NeighborSampler(data, [-1] * hops), [7, 3, 190], batch_size=3)
    reached, _, _, _ = k_hop_subgraph([7, 3, 190], hops, data.edge_index, num_nodes=N)
    _, _, _, edges = k_hop_subgraph([7, 3, 190], hops, data.edge_index, num_nodes=N, directed=True)
    assert torch.equal(batch.n_id.sort().values, reached)
    assert torch.equal(batch.e_id.sort().values, edges.nonzero()[:, 0])


def test_edges_that_are_drawn_are_spread(data):
    """Each of a vertex's edges is drawn as often as the others: in 500 draws of 2, up to five deviations."""
    target = int(torch.bincount(data.edge_index[1]).argmax())
    degree = int((data.edge_index[1] == target).sum())
    sampler = NeighborSampler(data, [2])
    torch.manual_seed(0)
    found = [sampler.sample_from_nodes(NodeSamplerInput(None, torch.tensor([target]))).edge for _ in range(500)]
    count = torch.bincount(torch.cat(found), minlength=1500)
    assert torch.equal(count.nonzero()[:, 0], (data.edge_index[1] == target).nonzero()[:, 0])
    share = 2 / degree
    assert (count[count > 0] - 500 * share).abs().max() < 5 * (500 * share * (1 - share)) ** 0.5


def test_a_vertex_that_is_given_twice(data):
    (batch,) = batches(data, NeighborSampler(data, [3, 2], seed=0), [5, 9, 5, 2], batch_size=4)
    check_batch(batch, data, [3, 2])
    target = batch.edge_index[1]
    assert torch.equal(batch.e_id[target == 0], batch.e_id[target == 2])
    assert batch.n_id.tolist()[:4] == [5, 9, 5, 2]
    one = Data(edge_index=torch.tensor([[5], [9]]), num_nodes=10)
    (batch,) = batches(one, NeighborSampler(one, [-1]), [5, 9, 5])
    assert batch.edge_index.tolist() == [[0], [1]], "the first of the two is the source of edges"


def test_a_sampler_of_pytorch_geometric_that_repeats_vertices(data):
    torch.manual_seed(1)
    for batch in batches(data, NeighborSampler(data, [3, 2]), None, sampler=ImbalancedSampler(data.y // 150)):
        check_batch(batch, data, [3, 2])


def test_no_vertices_and_no_edges(data):
    assert batches(data, NeighborSampler(data, [3]), torch.arange(0)) == []
    (batch,) = batches(data, NeighborSampler(data, [3, 3]), [190, 191])
    assert (batch.n_id.tolist(), batch.num_sampled_nodes, batch.num_sampled_edges) == ([190, 191], [2, 0, 0], [0, 0])
    bare = Data(torch.ones(3, 1), torch.zeros(2, 0, dtype=torch.int64))
    (batch,) = batches(bare, NeighborSampler(bare, [2]), None)
    assert batch.num_edges == 0


def test_a_seed_gives_the_same_batches_for_any_workers(data):
    """Batches of other vertices differ, as do those of another seed; without a seed it is torch's that counts."""
    draw = lambda seed, nodes=(1, 2, 3), **more: batches(data, NeighborSampler(data, [2, 2], seed=seed), list(nodes), **more)  # noqa: E731
    assert same(draw(3)[0], draw(3)[0])
    assert same(draw(2**64 - 1)[0], draw(np.uint64(2**64 - 1))[0])
    assert not same(draw(3)[0], draw(4)[0])
    drawn = [draw(3, (1, other))[0] for other in range(2, 22)]
    assert len({tuple(batch.e_id[batch.edge_index[1] == 0].tolist()) for batch in drawn}) > 1
    torch.manual_seed(5)
    one, two = draw(None)[0], draw(None)[0]
    torch.manual_seed(5)
    assert same(one, draw(None)[0])
    assert not same(one, two)


@pytest.mark.parametrize("start", ["fork", pytest.param("spawn", marks=pytest.mark.slow)])
def test_workers(data, start):
    """A worker that is not forked imports PyTorch Geometric, for many seconds."""
    if sys.platform == "win32" and start == "fork":
        pytest.skip("Windows has no fork")
    workers = {"num_workers": 2 if start == "fork" else 1, "multiprocessing_context": start}
    sampler = NeighborSampler(data, [3, 2], seed=1)
    here = batches(data, sampler, None, batch_size=32)
    there = batches(data, sampler, None, batch_size=32, **workers)
    assert len(here) == len(there) == 7
    assert all(map(same, here, there))
    assert all(torch.equal(a.edge_attr, b.edge_attr) and torch.equal(a.x, b.x) for a, b in zip(here, there, strict=True))
    if start == "fork":
        first, second = batches(data, NeighborSampler(data, [3, 2]), [1] * 4, batch_size=1, **workers)[:2]
        assert not same(first, second), "each worker draws other numbers"


@pytest.mark.parametrize("of", [EdgeIndex, Graph, "int32", "rows apart"])
def test_edges_of_other_kinds(data, of):
    if of is Graph:
        G = Graph(np.array([[0, 5, 0], [0, 0, 7], [1, 1, 0]]))
        other = Data(torch.eye(3), to_edge_index(G)[0], edge_attr=to_edge_index(G)[1])
        (batch,) = batches(other, NeighborSampler(G, [-1]), [1])
        assert batch.edge_attr.tolist() == [5, 1]
        return
    edge_index = data.edge_index.int() if of == "int32" else data.edge_index.t().contiguous().t()
    edge_index = EdgeIndex(data.edge_index, sparse_size=(N, N)) if of is EdgeIndex else edge_index
    other = Data(edge_index=edge_index, num_nodes=N)
    here, there = NeighborSampler(data, [3], seed=0), NeighborSampler(other, [3], seed=0)
    assert all(map(same, batches(data, here, None), batches(data, there, None)))


@pytest.mark.parametrize("mode", [None, "binary", "triplet"])
def test_links(data, mode):
    negative = None if mode is None else NegativeSampling(mode, 1)
    links = data.edge_index[:, :100]
    drawn = LinkLoader(data, NeighborSampler(data, [3, 2]), links, neg_sampling=negative, batch_size=20)
    for at, batch in enumerate(drawn):
        batch.batch_size = batch.num_sampled_nodes[0]
        check_batch(batch, data, [3, 2])
        expected = links[:, at * 20 : at * 20 + 20]
        if mode == "triplet":
            assert torch.equal(batch.n_id[torch.stack([batch.src_index, batch.dst_pos_index])], expected)
            assert batch.dst_neg_index.shape == (20,)
        else:
            assert torch.equal(batch.n_id[batch.edge_label_index][:, :20], expected)
            assert batch.edge_label_index.shape[1] == (20 if mode is None else 40)


class Sage(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList([SAGEConv(4, 16), SAGEConv(16, 4)])

    def forward(self, batch, trimmed):
        x, edges = batch.x, batch.edge_index
        for at, layer in enumerate(self.layers):
            if trimmed:
                x, edges, _ = trim_to_layer(at, batch.num_sampled_nodes, batch.num_sampled_edges, x, edges)
            x = layer(x if at == 0 else x.relu(), edges)
        return x[: batch.batch_size]


def test_a_network_learns_from_what_its_neighbours_say():
    """The class of a vertex is that of the vertices from which edges lead to it. Nothing that a layer needs is trimmed."""
    torch.manual_seed(0)
    y = torch.arange(400) % 4
    source = torch.randint(400, (4000,))
    data = Data(
        torch.eye(4)[y] + torch.randn(400, 4), torch.stack([source, (source + 4 * torch.randint(100, (4000,))) % 400]), y=y
    )
    net, loss = Sage(), []
    optimiser = torch.optim.Adam(net.parameters(), lr=0.02)
    for _ in range(4):
        for batch in NodeLoader(data, NeighborSampler(data, [10, 5], seed=0), batch_size=50, shuffle=True):
            out = net(batch, trimmed=True)
            torch.testing.assert_close(out, net(batch, trimmed=False))
            loss.append(torch.nn.functional.cross_entropy(out, batch.y[: batch.batch_size]))
            optimiser.zero_grad()
            loss[-1].backward()
            optimiser.step()
    assert loss[-1] < loss[0] / 2


FEW = Data(torch.ones(3, 1), torch.tensor([[0, 1], [1, 2]]))


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: NeighborSampler(HeteroData(), [2]), TypeError, "one type of vertices.*HeteroData: use data.to_homogeneous"),
        (lambda: NeighborSampler(FEW.edge_index, [2]), TypeError, "got Tensor: use Data"),
        (lambda: NeighborSampler(Data(torch.ones(3, 1)), [2]), ValueError, "data has no edge_index"),
        (lambda: NeighborSampler(Data(edge_index=np.ones((2, 2)), num_nodes=3), [2]), TypeError, "edge_index must be a torch"),
        (lambda: NeighborSampler(Data(edge_index=torch.ones(3, 2).long(), num_nodes=3), [2]), ValueError, "two rows.*3, 2"),
        (lambda: NeighborSampler(Data(edge_index=FEW.edge_index, num_nodes=2), [2]), ValueError, "2"),
        (lambda: NeighborSampler(FEW, [2, -3]), ValueError, "num_neighbors must be.*got -3"),
        (lambda: NeighborSampler(FEW, [2.5]), TypeError, "num_neighbors must be an integer, got 2.5"),
        (lambda: NeighborSampler(FEW, {("a", "to", "b"): [2]}), TypeError, "num_neighbors.*dict"),
        (lambda: NeighborSampler(FEW, [2], seed=-1), ValueError, "seed.*got -1"),
        (lambda: NeighborSampler(FEW, [2], seed="a"), TypeError, "seed must be an integer, got 'a'"),
        (lambda: next(iter(NodeLoader(FEW, NeighborSampler(FEW, [2]), [3]))), ValueError, "3"),
        (
            lambda: next(iter(NodeLoader(FEW, NeighborSampler(FEW, [2]), [0], input_time=torch.tensor([1])))),
            ValueError,
            "leave out input_time",
        ),
        (
            lambda: NeighborSampler(FEW, [2]).sample_from_nodes(NodeSamplerInput(None, torch.tensor([0]), input_type="a")),
            ValueError,
            "type 'a'",
        ),
    ],
)
def test_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_doctests():
    found = doctest.testmod(pyg)
    assert (found.attempted, found.failed) == (10, 0)
