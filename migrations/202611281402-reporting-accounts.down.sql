DROP VIEW reporting.accounts, reporting.balances;
