DROP TABLE roll_up_fault, roll_up_mark, statistic_state, block_statistic, statistic;
