DROP VIEW reporting.reconciliation_daily;
