"""Measuring the search on judged queries, with the metrics of trec_eval."""
