// Learning. Replace the work by your agent's.
import { load, save } from './state.mjs';

const { finalStatus } = load(4, 'execute');
save(5, 'LearningAgent', { learnings: [`The pass rate was ${finalStatus.passRate} %`] }, 100);
