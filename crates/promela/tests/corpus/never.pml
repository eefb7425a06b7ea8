byte x;
init { x = 1 }
never first { do :: x == 1 -> break :: np_ od; accept_all: skip; enabled(0) && pc_value(0) == 1 }
never { true }
