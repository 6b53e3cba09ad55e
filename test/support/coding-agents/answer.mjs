import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';

/**
 * What a coding agent that does its work answers to a prompt of `gateline init`: it reads what the prompt names, changes
 * a file where it is allowed to, and fills in the schema. Throws where an agent could not do its work.
 */
export function answer({ prompt, schema, mayWrite }) {
  const [, name] = prompt.match(/prompts\/(\w+)\.md/);
  if (!readFileSync(`prompts/${name}.md`, 'utf8').startsWith('# ')) throw new Error('no prompt');
  const request = JSON.parse(readFileSync(prompt.match(/The request: (\S+)/)[1], 'utf8'));
  if (request.gate !== name) throw new Error(`the request is one for ${request.gate}`);
  if (!request.task.includes('hello.txt')) throw new Error('no task');
  if (process.env.START_LOG) appendFileSync(process.env.START_LOG, `${name} 1 ${process.pid}\n`);
  const value = WORK[name](request, mayWrite);
  const wrong = Object.keys(value).toSorted().join() !== schema.required.toSorted().join();
  if (wrong || schema.additionalProperties !== false) throw new Error(`not the schema of ${name}`);
  return value;
}

const WORK = {
  design: () => ({ steps: ['write hello.txt'], score: 90 }),
  implement: ({ needs }, mayWrite) => {
    if (needs.design.output.steps.length !== 1) throw new Error('no design');
    if (!mayWrite) throw new Error('no tool to write with');
    writeFileSync('hello.txt', 'hello\n');
    return { summary: 'hello.txt says hello', changed: ['hello.txt'] };
  },
  review: ({ needs }) => {
    const [path] = needs.implement.output.changed;
    return { critical: readFileSync(path, 'utf8') === 'hello\n' ? 0 : 1, comments: [] };
  },
};

/** Arguments as a shell reads them, where none has a quote inside. */
export function words(text) {
  return [...text.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, single, double, bare]) => single ?? double ?? bare);
}

/** Options of a command, each with one value; the others are its words. */
export function optionsOf(args, { flags = [], valued }) {
  const options = {};
  const rest = [];
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index];
    if (valued.includes(arg)) {
      index += 1;
      options[arg] = args[index];
    } else if (flags.includes(arg)) options[arg] = true;
    else if (arg.startsWith('-') && arg !== '-') throw new Error(`unknown option ${arg}`);
    else rest.push(arg);
  }
  return { options, rest };
}

/** What Claude Code says at the end of a session. */
export function resultOf(output) {
  return {
    type: 'result',
    subtype: 'success',
    is_error: false,
    duration_ms: 4_000,
    num_turns: 3,
    result: 'Done.',
    session_id: 'session-of-claude',
    total_cost_usd: 0.25,
    usage: { input_tokens: 10, cache_creation_input_tokens: 20, cache_read_input_tokens: 70, output_tokens: 5 },
    structured_output: output,
  };
}
