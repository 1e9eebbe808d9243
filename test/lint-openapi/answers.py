"""Compiles every schema of a document with Python's jsonschema and validates answers: answers.py DOCUMENT ANSWERS"""

import json
import sys

from jsonschema import Draft202012Validator

document = json.load(open(sys.argv[1], encoding="utf-8"))
answers = json.load(open(sys.argv[2], encoding="utf-8"))
schemas = document["components"]["schemas"]
validators = {}
for name, schema in schemas.items():
    Draft202012Validator.check_schema(schema)
    validators[name] = Draft202012Validator(
        {"$ref": "#/components/schemas/" + name, "components": document["components"]}
    )
faults = []
for answer in answers:
    for error in validators[answer["schema"]].iter_errors(answer["body"]):
        faults.append(f"{answer['name']}: {error.json_path} {error.message[:200]}")
for fault in faults[:20]:
    print(fault)
print(f"{len(schemas)} schemas compiled, {len(answers)} answers validated, {len(faults)} faults")
sys.exit(1 if faults else 0)
