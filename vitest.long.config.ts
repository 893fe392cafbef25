import { configureTests } from './scripts/test-projects.ts';

/** The tests that `npm test` leaves out. CI runs them after it. */
export default configureTests('long');
