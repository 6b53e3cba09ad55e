const DECIDE = (word: string): string => `\`gateline decide ${word} GATE --reason TEXT\` does that.`;
const RUN = '`gateline run` goes on from where the run stopped, and runs again what failed.';
const LOGS = '`gateline show GATE stdout` and `gateline show GATE stderr` print what an agent said.';
const HISTORY =
  '`gateline status --run N` shows an earlier run, `gateline status --subjects` lists what there are runs of.';

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
  ['list', '`gateline status` lists the gates, `gateline status --subjects` what there are runs of.'],
  ['ls', '`gateline status` lists the gates, `gateline status --subjects` what there are runs of.'],
  ['graph', '`gateline plan` lists the gates in order, with what each waits for.'],
  ['dry-run', '`gateline plan` says what a run would do, and why.'],
  ['check', '`gateline validate` checks the definition and every contract.'],
  ['lint', '`gateline validate` checks the definition and every contract.'],
  ['version', '`gateline --version` prints it.'],
  ...['approve', 'reject', 'skip', 'force'].map((word) => [word, DECIDE(word)] as const),
]);
