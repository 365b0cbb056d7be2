DROP TABLE da_node, da_head, account, balance;
