DROP TABLE da_node, account, balance;
