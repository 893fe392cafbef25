/** A report cannot be used. The message is a sentence that its sender may read. */
export class ReportProblem extends Error {}
