/**
 * The commit that stands for the release before this one. The first on the main line in which services drain when they are stopped
 * (docs/decisions/0107-draining.md) and record their migrations (0106-migrations.md): of nothing older can it be said that no
 * request fails. Once a release has landed, its commit belongs here.
 */
export const previousRelease = '7677002b';
