DROP INDEX submission_order_idx;
