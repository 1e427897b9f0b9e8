/**
 * The commit that stands for the release before this one. Nothing was released, so it is the first on the main line whose internal
 * tokens have an audience: services of this version refuse others. Once a release has landed, its commit belongs here.
 */
export const previousRelease = '6d1d84a6';
