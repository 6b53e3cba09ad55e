import { answer, request } from './protocol.mjs';

const { implementation, review, verification } = request.needs;
answer({
  iterations: implementation.output.iteration,
  review: review.output.result,
  verification: verification.output.message,
});
