import { describe, expect, it } from 'vitest';
import {
  gateCheckpointFileName,
  gateOutputFileName,
  pipelineFileName,
} from '../../../src/formats/state-guide/file-names.ts';
import { pipelineFile, pipelineStateSchema } from '../../../src/formats/state-guide/pipeline-state.ts';
import { groupStates } from '../../../src/run/state/group-states.ts';
import { unitsOf } from '../../../src/run/records/unit.ts';
import {
  decided,
  failedRun,
  gate,
  pipelineOf,
  ran,
  reviewed,
  started,
  stateOf,
  webTests,
} from '../../report/fixtures.ts';
import { GUIDE_PIPELINE } from './guide.ts';

const fileOf = ({ state, graph }: ReturnType<typeof stateOf>) =>
  pipelineFile(state, { graph, groups: [], metadata: webTests.metadata });

describe("the pipeline's state file", () => {
  it('is exactly that of the guide, and ours under one key', () => {
    const file = fileOf(failedRun());
    const { gateline, ...guide } = file;
    expect(guide).toEqual({
      status: 'FAILED',
      currentGate: 4,
      completedGates: [0, 1, 2, 3],
      metadata: {
        domain: 'demoqa_com',
        feature: 'student_registration',
        url: 'https://demoqa.com/automation-practice-form',
        userStory: 'As a student I want to register',
        acceptanceCriteria: ['the form is sent', 'the name is shown'],
      },
    });
    expect(gateline).toMatchObject({
      format: 'gateline-pipeline-state/1',
      pipeline: 'web_tests',
      run: 3,
      call: 2,
      status: 'error',
    });
    expect(gateline?.gates[4]).toEqual({
      gate: 'execute',
      leg: '',
      number: 4,
      status: 'failed',
      reason: 'check: `output.finalStatus.passRate >= 90` is false: passRate is 60',
      done: false,
      reused: false,
      score: 60,
      file: 'demoqa_com-student_registration-gate4-output.json',
    });
    expect(gateline?.gates[5]).toMatchObject({ status: 'blocked', score: null, file: null });
    expect(pipelineStateSchema.parse(JSON.parse(JSON.stringify(file)))).toEqual(file);
  });

  it('says which gate executes now, else the first that is not done, else the last', () => {
    expect(fileOf(stateOf([]))).toMatchObject({ status: 'IN_PROGRESS', currentGate: 0, completedGates: [] });
    expect(fileOf(stateOf([...ran('data'), started('design')]))).toMatchObject({ currentGate: 1, completedGates: [0] });
    const all = webTests.gates.flatMap(({ id }) => ran(id));
    expect(fileOf(stateOf(all))).toMatchObject({
      status: 'SUCCESS',
      currentGate: 5,
      completedGates: [0, 1, 2, 3, 4, 5],
    });
    const where = { pipeline: reviewed };
    expect(fileOf(stateOf([...ran('build', where), started('security', where)], where))).toMatchObject({
      currentGate: 3,
      completedGates: [0],
    });
  });

  it('is PARTIAL when a gate of a completed run was skipped', () => {
    const records = [...webTests.gates.slice(0, 5).flatMap(({ id }) => ran(id)), decided('learn')];
    expect(fileOf(stateOf(records))).toMatchObject({ status: 'PARTIAL', completedGates: [0, 1, 2, 3, 4, 5] });
  });

  it('counts a matrix gate as completed when all its legs are', () => {
    const where = { pipeline: reviewed };
    const first = [...ran('build', where), ...ran('e2e', { ...where, leg: 'chrome-linux' })];
    expect(fileOf(stateOf(first, where)).completedGates).toEqual([0]);
    expect(
      fileOf(stateOf([...first, ...ran('e2e', { ...where, leg: 'firefox-linux' })], where)).completedGates,
    ).toEqual([0, 1]);
  });

  it('lists numbers in ascending order, whatever the order of the gates', () => {
    const pipeline = pipelineOf([gate('b', 9), gate('a', 2), gate('c', 5)]);
    const where = { pipeline };
    expect(fileOf(stateOf([...ran('a', where), ...ran('b', where)], where))).toMatchObject({
      currentGate: 5,
      completedGates: [2, 9],
    });
  });

  it('has the state of each group', () => {
    const where = { pipeline: reviewed };
    const { state, graph } = stateOf([...ran('build', where), ...ran('style', where)], where);
    const { gateline } = pipelineFile(state, { graph, groups: reviewed.groups, metadata: {} });
    expect(gateline?.groups).toEqual(groupStates(state, reviewed.groups));
    expect(gateline?.groups).toMatchObject([{ id: 'review', gates: ['style', 'security'], status: 'ready' }]);
    expect(pipelineFile(state, { graph, groups: [], metadata: {} }).gateline?.groups).toEqual([]);
  });

  it('takes a single acceptance criterion for a list of one', () => {
    const { state } = stateOf([]);
    const { metadata } = pipelineFile(state, {
      graph: unitsOf(webTests),
      groups: [],
      metadata: { acceptanceCriteria: 'it works' },
    });
    expect(metadata).toMatchObject({ userStory: '', acceptanceCriteria: ['it works'] });
  });

  it('has a schema that takes the one of the guide', () => {
    expect(pipelineStateSchema.parse(structuredClone(GUIDE_PIPELINE))).toEqual(GUIDE_PIPELINE);
  });
});

describe('the names of state files', () => {
  it('are those of the guide', () => {
    expect(gateOutputFileName('demoqa_com-student_registration', 2, '')).toBe(
      'demoqa_com-student_registration-gate2-output.json',
    );
    expect(gateCheckpointFileName('pr-42', 2, '')).toBe('pr-42-gate2-checkpoint.md');
    expect(pipelineFileName('demoqa_com-student_registration')).toBe('demoqa_com-student_registration-pipeline.json');
  });

  it('have the leg of a matrix gate in them', () => {
    expect(gateOutputFileName('pr-42', 1, 'chrome-linux')).toBe('pr-42-gate1-chrome-linux-output.json');
  });

  it.each(['../../etc', 'a/b', 'C:\\x', '.', '', 'con', 'x\u0000y', '漢字', 'a'.repeat(500)])(
    'are one safe name for the subject and the leg %j',
    (text) => {
      for (const name of [
        gateOutputFileName(text, 1, ''),
        gateOutputFileName('s', 1, text),
        gateCheckpointFileName(text, 1, text),
        pipelineFileName(text),
      ]) {
        expect(name).toMatch(/^[A-Za-z0-9_][A-Za-z0-9._-]*$/);
        expect(name.length).toBeLessThan(220);
      }
    },
  );
});
