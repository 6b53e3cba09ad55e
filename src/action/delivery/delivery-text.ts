import type { DeliveredFile } from '../../engine/delivery/deliver.ts';
import { code, linkTo } from '../../report/markdown/markdown.ts';
import { count } from '../../report/text.ts';
import type { WorkflowEvent } from '../event/event.ts';
import { linksOf } from '../event/links.ts';

/** File names in a body. */
const SHOWN = 100;

/** The data for the texts of a delivery: gates and files. */
export interface DeliveryText {
  readonly pipeline: string;
  /** Of a set: its id. */
  readonly subject?: string;
  readonly gates: readonly string[];
  readonly files: readonly DeliveredFile[];
  readonly prefix: string;
}

/** Prefix of the line of a commit message that names the run. */
const OF_RUN = 'Gateline-Run: ';

/** A commit message that consists only of ids and numbers, without text of an agent. */
export function commitMessage(event: WorkflowEvent, text: DeliveryText): string {
  const { pipeline, subject } = text;
  const whose = subject === undefined ? pipeline : `${subject} of ${pipeline}`;
  const title = `Deliver ${whose} of run ${event.runNumber}`;
  return `${title}${whatOf(text)}${OF_RUN}${linksOf(event).run!}\n`;
}

function whatOf({ gates, files }: DeliveryText): string {
  return `\n\n${count(files.length, 'file')} of ${gates.length === 1 ? 'gate' : 'gates'} ${gates.join(', ')}\n\n`;
}

/** Whether a commit may be of a delivery of as many files of these gates: it says so, or a person made it. */
export function maySayTheSame(message: string, text: DeliveryText): boolean {
  return !message.includes(OF_RUN) || message.includes(whatOf(text));
}

/**
 * The body of a pull request. Names of files come from agents: they are shown as code spans, so they cannot contain
 * mentions or links.
 */
export function pullRequestBody(event: WorkflowEvent, { gates, files, prefix }: DeliveryText): string {
  const names = files.slice(0, SHOWN).map(({ path, after }) => {
    return `- ${after === null ? 'removed' : 'changed'}: ${code(`${prefix}${path}`)}`;
  });
  const more = files.length > SHOWN ? [`- … and ${count(files.length - SHOWN, 'more file')}`] : [];
  const run = linkTo(`run ${event.runNumber}`, linksOf(event).run);
  const from = gates.map((gate) => code(gate)).join(', ');
  return [`${count(files.length, 'file')} from ${from} of ${run}, whose report is green.`, '', ...names, ...more].join(
    '\n',
  );
}
