import type { EngineEvent, Observer } from '../../engine/ports.ts';
import { tokenOf } from '../../engine/attempt/claim-token.ts';
import { ACTION_STATE } from '../../environment.ts';
import { decisionOf } from '../outputs.ts';
import type { Runner } from '../runner.ts';

/**
 * Logs the engine's events, and saves the token of the open claim for the post step.
 * @param print prints a line of the agent's output unchanged
 * @param commit that the definition was read from, for the token
 */
export function engineLog(runner: Runner, print: (line: string) => void = () => undefined, commit?: string): Observer {
  return (event: EngineEvent): void => {
    switch (event.type) {
      case 'planned':
        runner.info(`gate ${event.planned.key}: ${decisionOf(event.planned)}: ${event.planned.reason}`);
        for (const notice of event.planned.notices) runner.annotate('notice', notice);
        return;
      case 'started':
        runner.saveState(
          ACTION_STATE.claim,
          event.token ?? tokenOf(event.record, commit === undefined ? {} : { commit }),
        );
        runner.info(`gate ${event.unit}: attempt ${event.record.n} started`);
        return;
      case 'line':
        print(event.line);
        return;
      case 'ended': {
        const { status, score, kind, advice } = event.record.verdict;
        const what = status === 'failed' ? `failed (${kind})` : `${status}, score ${score}`;
        const why = status === 'passed' ? '' : `. ${advice}`;
        const more = event.retrying ? ' Retrying.' : '';
        runner.info(`gate ${event.unit}: attempt ${event.record.n}: ${what}${why}${more}`);
        if (!event.retrying) runner.saveState(ACTION_STATE.claim, '');
        return;
      }
      case 'notice':
        if (event.isRoutine) runner.info(`gate ${event.unit}: ${event.message}`);
        else runner.annotate('notice', event.message);
        return;
      case 'state':
        return;
    }
  };
}
