"""Many submissions: exports of learning platforms, the results folder, a class graded in parallel, gradebooks."""
