import { configureTests } from './scripts/test-projects.ts';

/** The tests before every commit: `npm test`. */
export default configureTests('first');
