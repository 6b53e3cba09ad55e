import { expect, it } from 'vitest';
import { orchestratorMetadata } from '../../../src/formats/state-guide/state-metadata.ts';

const metadata = { domain: 'demoqa_com', feature: 'form' };

it("takes the metadata from the orchestrator's document of the guide, and from nothing else", () => {
  const order = { metadata, userStory: 'As a student', url: 'https://demoqa.com/', acceptanceCriteria: ['a', 'b'] };
  const { metadata: _, ...more } = order;
  expect(orchestratorMetadata(order)).toEqual({ ...metadata, ...more });
  expect(orchestratorMetadata({ metadata, acceptanceCriteria: 'one', extra: 1 })).toEqual({
    ...metadata,
    acceptanceCriteria: 'one',
  });
  expect(orchestratorMetadata({ metadata, url: 1, userStory: [], acceptanceCriteria: [1] })).toEqual(metadata);
  for (const other of [null, 1, 'x', [], {}, { metadata: {} }, { metadata: { domain: 'x' } }, { metadata: [] }])
    expect(orchestratorMetadata(other)).toEqual({});
});
