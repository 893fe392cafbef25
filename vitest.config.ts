import { configureTests } from './scripts/test-projects.ts';

/** All tests: `npm run test:all`, and `npx vitest run` with the name of any test file. */
export default configureTests('all');
