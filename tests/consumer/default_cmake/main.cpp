extern "C" int runCollide();
int main() { return runCollide(); }
