DROP TABLE node_chain;
