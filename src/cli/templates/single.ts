import type { Template } from './template.ts';

/** The smallest pipeline: one gate, with its contract in the pipeline file. */
export const SINGLE: Template = {
  name: 'single',
  summary: 'one gate with an inline contract',
  files: {
    'gateline.yml': `# yaml-language-server: $schema=node_modules/gateline/schema/gateline.schema.json
pipeline: single
gates:
  summarise:
    # Replace this by your agent. It reads $GATELINE_REQUEST and writes JSON to $GATELINE_OUTPUT.
    run: |
      printf '{"summary": "nothing yet", "score": 90}' > "$GATELINE_OUTPUT"
    shell: sh
    # Input files: part of the fingerprint. None here; without this line, every file that git does not ignore.
    inputs: []
    output:
      schema:
        type: object
        required: [summary, score]
        properties:
          summary: { type: string, minLength: 1 }
          score: { type: number }
      score: /score
      threshold: 80
`,
  },
};
