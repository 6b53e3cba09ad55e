import { GatelineError } from '../../errors/gateline-error.ts';
import type { FileProblem } from '../../formats/exchange.ts';
import { showUnseen } from '../../json/visible.ts';
import { ProblemsError } from '../pipeline-invalid.ts';

/** Further problems are only counted. */
const SHOWN = 50;

/** Why files of another system are not imported: fault `user`, code `IMPORT_REFUSED`, one line for each problem. */
export class ImportRefusedError extends ProblemsError {
  override readonly problems = [];
  /** Each problem with its file and JSON pointer. */
  override readonly contracts: readonly GatelineError[];

  constructor(problems: readonly FileProblem[]) {
    const shown = problems.slice(0, SHOWN);
    const lines = shown.map(({ file, pointer, message }) => {
      const at = pointer === '' ? '' : ` (at ${showUnseen(pointer.slice(0, 500))})`;
      return `${showUnseen(file)} IMPORT_REFUSED ${showUnseen(message.slice(0, 1_000))}${at}`;
    });
    const more = problems.length > SHOWN ? [`and ${problems.length - SHOWN} more problems`] : [];
    super('IMPORT_REFUSED', [...lines, ...more].join('\n'));
    this.contracts = shown.map(
      ({ file, pointer, message }) => new GatelineError('IMPORT_REFUSED', message, { place: { file, pointer } }),
    );
  }
}
