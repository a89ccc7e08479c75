"""Prints the rows of each query as JSON, as PySpark sees them on its defaults: fleet-spark.py FLEET_FOLDER SQL_FILE QUERY..."""

import json
import sys

from pyspark.sql import SparkSession

folder, sql, *queries = sys.argv[1:]
spark = SparkSession.builder.config("spark.ui.enabled", "false").getOrCreate()
spark.read.parquet(folder).createOrReplaceTempView("fleet")
with open(sql, encoding="utf-8") as file:
    for statement in file.read().split(";\n"):
        if statement.strip():
            spark.sql(statement)
print(json.dumps([[row.asDict() for row in spark.sql(query).collect()] for query in queries]))
