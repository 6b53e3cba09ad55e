# Replace this by the agent that designs. The task is in the JSON file $GATELINE_REQUEST.
printf '{"steps": ["Write hello to hello.txt"], "score": 90}' > "$GATELINE_OUTPUT"
