"""Count and weight the words of texts; search, find copies, classify."""

import numpy as np

from spark_csr import Ragged, linalg

# 8,000 texts about four subjects, of 20 to 60 words each.
rng = np.random.default_rng(0)
subjects = np.array(["music", "sport", "trade", "plant"])
subject = rng.integers(4, size=8000)
texts = []
for kind in subject:
    rank = (500 * rng.random(rng.integers(20, 60)) ** 2).astype(int)
    about = rng.random(rank.size) < 0.15
    words = np.where(about, subjects[kind], "word")
    pairs = zip(words, rank, strict=True)
    texts.append(" ".join(f"{word}{number}" for word, number in pairs))
texts[4321] = texts[99] + " word0"  # a near copy

# Words become numbers; a ragged array holds the numbers of every text.
lists = [text.split() for text in texts]
words, numbers = np.unique(np.concatenate(lists), return_inverse=True)
tokens = Ragged.from_counts(numbers, [len(one) for one in lists])
counts = tokens.to_csr(len(words))
counts.sum_duplicates()
print("texts and words:", counts.shape, "entries:", counts.nnz)

# TF-IDF: rare words weigh more; every row gets length one.
in_texts = counts.count_nonzero(axis=0)
weights = np.log(len(texts) / in_texts)
X = linalg.normalize(linalg.scale_columns(counts, weights))

# Search: the texts that are most like a query.
query = np.isin(words, ["sport7", "sport123", "sport301"])
scores = X @ (query * weights)
best = np.argsort(-scores, kind="stable")[:5]
print("found:", subjects[subject[best]])

# Near copies: pairs of texts whose cosine is above 0.9. No matrix of all
# 64 million cosines is made.
alike = linalg.topk_matmul(X, X, 5, threshold=0.9).tocoo()
pairs = alike.row < alike.col
print("copies:", alike.row[pairs], alike.col[pairs])

# Classify every tenth text by its ten nearest neighbours among the others.
test = np.arange(len(texts)) % 10 == 0
near = linalg.topk_matmul(X[test], X[~test], 10)
votes = near @ np.eye(4)[subject[~test]]
right = votes.argmax(axis=1) == subject[test]
print(f"classified rightly: {right.mean():.0%}")
