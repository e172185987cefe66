"""Its being here lets tests in folders below import `loops`."""
