/** 1.0.0 is the first release, so the last commit stands for the one before. Once 1.0.0 is tagged, its commit belongs here. */
export const previousRelease = 'HEAD';
