const home = 'https://github.com/coppice/coppice';

/** The public addresses of the project. Everything that names one takes it from here. */
export const projectAddresses = {
  repository: home,
  bugs: `${home}/issues`,
  /** The page of a package, by its folder. */
  packageHome: (folder: string): string => `${home}/tree/main/packages/${folder}#readme`,
};
