const DECIDE = (word: string): string => `\`gateline decide ${word} GATE --reason TEXT\` does this.`;
const RUN = '`gateline run` continues from where the run stopped, and runs failed gates again.';
const LOGS = "`gateline show GATE stdout` and `gateline show GATE stderr` print the agent's output.";
const HISTORY =
  '`gateline status --run N` shows an earlier run, `gateline status --subjects` lists the subjects that have runs.';

/** Commands of other tools, and what does the same here: a whole sentence. */
export const OTHER_WORDS: ReadonlyMap<string, string> = new Map([
  ['resume', RUN],
  ['continue', RUN],
  ['retry', RUN],
  ['rerun', RUN],
  ['start', '`gateline run` runs the pipeline; `gateline begin GATE` begins a gate whose agent runs by itself.'],
  ['logs', LOGS],
  ['log', LOGS],
  ['history', HISTORY],
  ['runs', HISTORY],
  ['list', '`gateline status` lists the gates, `gateline status --subjects` the subjects that have runs.'],
  ['ls', '`gateline status` lists the gates, `gateline status --subjects` the subjects that have runs.'],
  ['graph', '`gateline plan` lists the gates in order, and what each waits for.'],
  ['dry-run', '`gateline plan` shows what a run would do, and why.'],
  ['check', '`gateline validate` checks the definition and every contract.'],
  ['lint', '`gateline validate` checks the definition and every contract.'],
  ['version', '`gateline --version` prints it.'],
  ...['approve', 'reject', 'skip', 'force'].map((word) => [word, DECIDE(word)] as const),
]);
