"""Prints the rows of each view as JSON, as PySpark sees them: fleet-spark.py FLEET_FOLDER SQL_FILE VIEW..."""

import json
import sys

from pyspark.sql import SparkSession

folder, sql, *views = sys.argv[1:]
spark = (
    SparkSession.builder.master("local[2]")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", "4")
    .getOrCreate()
)
spark.read.parquet(folder).createOrReplaceTempView("fleet")
with open(sql, encoding="utf-8") as file:
    for statement in file.read().split(";\n"):
        if statement.strip():
            spark.sql(statement)
print(json.dumps({view: [row.asDict() for row in spark.table(view).collect()] for view in views}))
