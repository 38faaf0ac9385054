#include "Cli.h"
int main(int argc, char **argv) { return scopesan::litmus::litmusMain({argv + 1, argv + argc}); }
