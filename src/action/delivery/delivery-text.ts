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

/** A commit message that consists only of ids and numbers, without text of an agent. */
export function commitMessage(event: WorkflowEvent, { pipeline, subject, gates, files }: DeliveryText): string {
  const whose = subject === undefined ? pipeline : `${subject} of ${pipeline}`;
  const title = `Deliver ${whose} of run ${event.runNumber}`;
  const what = `${count(files.length, 'file')} of ${gates.length === 1 ? 'gate' : 'gates'} ${gates.join(', ')}`;
  return `${title}\n\n${what}\n\nGateline-Run: ${linksOf(event).run!}\n`;
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
