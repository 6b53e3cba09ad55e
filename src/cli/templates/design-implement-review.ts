/** A schema with these properties, all of them required and no others: what services that fill in a schema accept. */
function closed(properties: Readonly<Record<string, object>>): string {
  const schema = { type: 'object', required: Object.keys(properties), additionalProperties: false, properties };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

const text = { type: 'string' };
const texts = { type: 'array', items: text };

/** The prompts of the templates for coding agents, and the schemas of what the agents answer. */
export const PROMPTS_AND_SCHEMAS: Readonly<Record<string, string>> = {
  'prompts/design.md': `# Design

The request is a JSON file: its \`task\` says what is to be achieved. Read the code that the task is about. Change nothing.

Answer with the steps of the change, in order, and with a score from 0 to 100: how sure you are that they achieve the task.
`,
  'prompts/implement.md': `# Implement

The request is a JSON file: its \`task\` says what is to be achieved, and \`needs.design.output\` has the steps. Carry them out in the
files of this folder. Change nothing below \`.github\`, and do not commit.

Answer with a summary in one sentence, and with the paths that you changed.
`,
  'prompts/review.md': `# Review

The request is a JSON file: its \`task\` says what was to be achieved, and \`needs.implement.output\` what was changed. Read these files.
Change nothing.

Answer with the number of critical mistakes, and with a comment for each of them.
`,
  'schemas/design.schema.json': closed({ steps: texts, score: { type: 'number' } }),
  'schemas/implement.schema.json': closed({ summary: text, changed: texts }),
  'schemas/review.schema.json': closed({ critical: { type: 'integer' }, comments: texts }),
};
