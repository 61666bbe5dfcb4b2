int needed_number();
int needed_number() {
  return 1;
}
